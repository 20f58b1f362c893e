"""GELU and its gradient in Triton: one program per tile, the tail masked.

Against 03_short.cu: `tl.erf` is the library's erff, so this is the arithmetic of 02_vector.cu. The tanh form is a sigmoid,
as there.
"""

import torch
import triton
import triton.language as tl

TILE = 4096  # elements per program


@triton.jit
def _share(x, TANH: tl.constexpr):
    """P(x)."""
    if TANH:
        return tl.sigmoid(x * (1.5957691216057308 + 0.0713548162726009 * (x * x)))
    return 0.5 * (1 + tl.erf(0.7071067811865476 * x))


@triton.jit
def gelu_kernel(x, y, n, TANH: tl.constexpr, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = at < n
    value = tl.load(x + at, mask=inside).to(tl.float32)
    tl.store(y + at, (value * _share(value, TANH)).to(y.dtype.element_ty), mask=inside)


@triton.jit
def gelu_backward_kernel(x, dy, dx, n, TANH: tl.constexpr, TILE: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = at < n
    value = tl.load(x + at, mask=inside).to(tl.float32)
    gradient = tl.load(dy + at, mask=inside).to(tl.float32)
    share = _share(value, TANH)
    square = value * value
    if TANH:
        # Where the square is large, share * (1 - share) is 0 and must not meet infinity.
        bounded = tl.where(square > 1e4, 1e4, square)
        slope = value * share * (1 - share) * (1.5957691216057308 + 0.2140644488178027 * bounded)
    else:
        slope = value * (0.3989422804014327 * tl.exp(-0.5 * square))
    tl.store(dx + at, (gradient * (share + slope)).to(dx.dtype.element_ty), mask=inside)


def gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    n = y.numel()
    if n:
        gelu_kernel[(triton.cdiv(n, TILE),)](x, y, n, TANH=approximate == "tanh", TILE=TILE)
    return y


def gelu_backward(x: torch.Tensor, dy: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    x, dy = x.contiguous(), dy.contiguous()
    dx = torch.empty_like(x)
    n = dx.numel()
    if n:
        gelu_backward_kernel[(triton.cdiv(n, TILE),)](
            x, dy, dx, n, TANH=approximate == "tanh", TILE=TILE
        )
    return dx
