"""SiLU and its gradient in Triton: one program per tile, the tail masked.

Against 03_short.cu: `tl.sigmoid` becomes a power of two and a division; which instructions these are is the compiler's
choice, where the CUDA rung names ex2 and rcp.
"""

import torch
import triton
import triton.language as tl

TILE = 4096  # elements per program


@triton.jit
def silu_kernel(x, y, n, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = at < n
    value = tl.load(x + at, mask=inside).to(tl.float32)
    tl.store(y + at, (value * tl.sigmoid(value)).to(y.dtype.element_ty), mask=inside)


@triton.jit
def silu_backward_kernel(x, dy, dx, n, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = at < n
    value = tl.load(x + at, mask=inside).to(tl.float32)
    gradient = tl.load(dy + at, mask=inside).to(tl.float32)
    s = tl.sigmoid(value)
    slope = s * (1 + value * (1 - s))
    tl.store(dx + at, (gradient * slope).to(dx.dtype.element_ty), mask=inside)


def silu(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    n = y.numel()
    if n:
        silu_kernel[(triton.cdiv(n, TILE),)](x, y, n, TILE=TILE)
    return y


def silu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    x, dy = x.contiguous(), dy.contiguous()
    dx = torch.empty_like(x)
    n = dx.numel()
    if n:
        silu_backward_kernel[(triton.cdiv(n, TILE),)](x, dy, dx, n, TILE=TILE)
    return dx
