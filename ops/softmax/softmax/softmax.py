"""Softmax and its gradient in Triton.

Against 04_online.cu: the recurrence is the same. Rows that fit into a tile are read once and stay in registers;
longer ones are read twice, the first time to find, lane by lane, the largest number so far and the sum of
exponentials relative to it, which are combined at the row's end. The CUDA rung spells out that end, with
shuffles in a warp and shared memory between warps; here it is `tl.max` and `tl.sum` over an axis. What
Triton cannot say is what 07_cluster_sm90.cu does: a row in the registers of several blocks, read once
up to 512k elements.
"""

import torch
import triton
import triton.language as tl


# What exponents are relative to: a row of nothing but -inf would give inf - inf, so 0 stands in.
@triton.jit
def _shift(largest):
    return tl.where(largest == float("-inf"), 0.0, largest)


@triton.jit
def softmax_kernel(x, y, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Rows no longer than a tile."""
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    at = r[:, None] * cols + c[None, :]  # (ROWS, COLS)
    tile = tl.load(x + at, mask=inside, other=float("-inf")).to(tl.float32)
    power = tl.exp(tile - _shift(tl.max(tile, 1))[:, None])
    result = power / tl.sum(power, 1)[:, None]
    tl.store(y + at, result.to(y.dtype.element_ty), mask=inside)


@triton.jit
def softmax_long_kernel(x, y, cols, COLS: tl.constexpr):
    """One row, tile by tile, twice."""
    row = tl.program_id(0).to(tl.int64) * cols
    largest = tl.full((COLS,), float("-inf"), tl.float32)
    total = tl.zeros((COLS,), tl.float32)
    for first in range(0, cols, COLS):
        c = first + tl.arange(0, COLS)
        tile = tl.load(x + row + c, mask=c < cols, other=float("-inf")).to(tl.float32)
        new = tl.maximum(largest, tile)
        # A NaN is left out by the maximum, but not by the sum.
        total = total * tl.exp(largest - _shift(new)) + tl.exp(tile - _shift(new))
        largest = new
    shift = _shift(tl.max(largest, 0))
    whole = tl.sum(total * tl.exp(largest - shift), 0)
    for first in range(0, cols, COLS):
        c = first + tl.arange(0, COLS)
        tile = tl.load(x + row + c, mask=c < cols, other=0).to(tl.float32)
        tl.store(y + row + c, (tl.exp(tile - shift) / whole).to(y.dtype.element_ty), mask=c < cols)


@triton.jit
def softmax_backward_kernel(y, dy, dx, rows, cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    """dx = y (dy - sum of y dy): the sum first, then once more along the rows."""
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    dots = tl.zeros((ROWS, COLS), tl.float32)
    for first in range(0, cols, COLS):
        c = first + tl.arange(0, COLS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        at = r[:, None] * cols + c[None, :]  # (ROWS, COLS)
        left = tl.load(y + at, mask=inside, other=0).to(tl.float32)
        right = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        dots += left * right
    dot = tl.sum(dots, 1)[:, None]  # (ROWS, 1)
    for first in range(0, cols, COLS):
        c = first + tl.arange(0, COLS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        at = r[:, None] * cols + c[None, :]
        left = tl.load(y + at, mask=inside, other=0).to(tl.float32)
        right = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        tl.store(dx + at, (left * (right - dot)).to(dx.dtype.element_ty), mask=inside)


def _tile(cols: int) -> tuple[int, int]:
    """Few shapes, so that few are compiled."""
    return (64, 64) if cols <= 64 else (4, 1024) if cols <= 1024 else (1, 4096)


def softmax(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    if y.numel():
        cols = x.shape[-1]
        rows, tile = x.numel() // cols, _tile(cols)
        if cols <= tile[1]:
            grid = (triton.cdiv(rows, tile[0]),)
            softmax_kernel[grid](x, y, rows, cols, ROWS=tile[0], COLS=tile[1], num_warps=8)
        else:
            softmax_long_kernel[(rows,)](x, y, cols, COLS=4096, num_warps=8)
    return y


def softmax_backward(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    y, dy = y.contiguous(), dy.contiguous()
    dx = torch.empty_like(y)
    if dx.numel():
        cols = y.shape[-1]
        rows, tile = y.numel() // cols, _tile(cols)
        grid = (triton.cdiv(rows, tile[0]),)
        softmax_backward_kernel[grid](
            y, dy, dx, rows, cols, ROWS=tile[0], COLS=tile[1], num_warps=8
        )
    return dx
