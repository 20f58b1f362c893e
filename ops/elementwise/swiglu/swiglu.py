"""SwiGLU and its gradient in Triton, for two tensors and for packed rows.

Against packed_02_vector.cu: a program takes a tile of one row's columns, so the row is a program id and needs no division;
the CUDA rung numbers the vectors of all rows instead, which wastes no threads on short rows.
"""

import torch
import triton
import triton.language as tl

TILE = 2048  # elements of y per program


@triton.jit
def swiglu_kernel(gate, up, y, pitch, cols, TILE: tl.constexpr):
    """Rows of gate and up start `pitch` elements apart."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = c < cols
    g = tl.load(gate + row * pitch + c, mask=inside).to(tl.float32)
    u = tl.load(up + row * pitch + c, mask=inside).to(tl.float32)
    tl.store(y + row * cols + c, (g * tl.sigmoid(g) * u).to(y.dtype.element_ty), mask=inside)


@triton.jit
def swiglu_backward_kernel(gate, up, dy, dgate, dup, pitch, cols, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1).to(tl.int64) * TILE + tl.arange(0, TILE)  # (TILE,)
    inside = c < cols
    at = row * pitch + c
    g = tl.load(gate + at, mask=inside).to(tl.float32)
    u = tl.load(up + at, mask=inside).to(tl.float32)
    d = tl.load(dy + row * cols + c, mask=inside).to(tl.float32)
    s = tl.sigmoid(g)
    to_gate = d * u * (s * (1 + g * (1 - s)))
    tl.store(dgate + at, to_gate.to(dgate.dtype.element_ty), mask=inside)
    tl.store(dup + at, (d * (g * s)).to(dup.dtype.element_ty), mask=inside)


def _tiles(y: torch.Tensor, rows: int) -> tuple[int, int]:
    # The grid's second axis has at most 65535 programs, its first 2^31.
    return rows, triton.cdiv(y.numel() // rows, TILE)


def _fold(n: int) -> int:
    """Whole tensors as rows that divide them, short enough for the grid."""
    rows = 1
    while n // rows > 65535 * TILE and n % (2 * rows) == 0:
        rows *= 2
    return rows


def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    gate, up = gate.contiguous(), up.contiguous()
    y = torch.empty_like(gate)
    if y.numel():
        rows = _fold(y.numel())
        cols = y.numel() // rows
        swiglu_kernel[_tiles(y, rows)](gate, up, y, cols, cols, TILE=TILE)
    return y


def swiglu_backward(
    gate: torch.Tensor, up: torch.Tensor, dy: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    gate, up, dy = gate.contiguous(), up.contiguous(), dy.contiguous()
    dgate, dup = torch.empty_like(gate), torch.empty_like(up)
    if dy.numel():
        rows = _fold(dy.numel())
        cols = dy.numel() // rows
        grid = _tiles(dy, rows)
        swiglu_backward_kernel[grid](gate, up, dy, dgate, dup, cols, cols, TILE=TILE)
    return dgate, dup


def swiglu_packed(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    cols = x.shape[-1]
    y = x.new_empty((*x.shape[:-2], cols))
    if y.numel():
        grid = _tiles(y, y.numel() // cols)
        swiglu_kernel[grid](x, x.view(-1)[cols:], y, 2 * cols, cols, TILE=TILE)
    return y


def swiglu_packed_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    x, dy = x.contiguous(), dy.contiguous()
    dx, cols = torch.empty_like(x), x.shape[-1]
    if dy.numel():
        grid = _tiles(dy, dy.numel() // cols)
        up, dup = x.view(-1)[cols:], dx.view(-1)[cols:]
        swiglu_backward_kernel[grid](x, up, dy, dx, dup, 2 * cols, cols, TILE=TILE)
    return dx
