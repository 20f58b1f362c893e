"""ReLU and its gradient in Triton: one program per tile, the tail masked.

Against 02_vector.cu: the template over a function, the widths and the edges of pointwise.cuh are the compiler's work here.
`tl.maximum` would drop a NaN as fmaxf does, so the comparison is written out.
"""

import torch
import triton
import triton.language as tl

TILE = 4096  # elements per program


@triton.jit
def relu_kernel(x, y, n, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = at < n
    value = tl.load(x + at, mask=inside)
    tl.store(y + at, tl.where(value <= 0, 0.0, value), mask=inside)


@triton.jit
def relu_backward_kernel(x, dy, dx, n, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = at < n
    value = tl.load(x + at, mask=inside)
    gradient = tl.load(dy + at, mask=inside)
    tl.store(dx + at, tl.where(value <= 0, 0.0, gradient), mask=inside)


def relu(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    n = y.numel()
    if n:
        relu_kernel[(triton.cdiv(n, TILE),)](x, y, n, TILE=TILE)
    return y


def relu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    x, dy = x.contiguous(), dy.contiguous()
    dx = torch.empty_like(x)
    n = dx.numel()
    if n:
        relu_backward_kernel[(triton.cdiv(n, TILE),)](x, dy, dx, n, TILE=TILE)
    return dx
