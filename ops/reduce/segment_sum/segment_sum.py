"""Sums, means and maxima of segments in Triton: one program per segment and piece of its columns.

That is 02_warp.cu with the team's size left to the compiler. A program has one segment, so short ones leave most of it idle
and a giant one is the work of one program; the teams and the list of 03_teams.cu have no counterpart here.
"""

import torch
import triton
import triton.language as tl


# A maximum must pass NaN on, but tl.max does not: NaNs are counted separately.
@triton.jit
def segment_sum_kernel(
    x, offsets, y, cols, KIND: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    s = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)  # (COLS,)
    first = tl.load(offsets + s).to(tl.int64)
    last = tl.load(offsets + s + 1).to(tl.int64)
    least: tl.constexpr = float("-inf") if KIND == "max" else 0.0
    total = tl.full((ROWS, COLS), least, tl.float32)
    nans = tl.zeros((ROWS, COLS), tl.int32)
    for start in range(first, last, ROWS):
        r = start + tl.arange(0, ROWS).to(tl.int64)
        inside = (r[:, None] < last) & (c[None, :] < cols)
        tile = tl.load(x + r[:, None] * cols + c[None, :], mask=inside, other=least).to(tl.float32)
        if KIND == "max":
            is_nan = tile != tile  # noqa: PLR0124
            nans += is_nan.to(tl.int32)
            total = tl.maximum(total, tl.where(is_nan, least, tile))
        else:
            total += tile
    if KIND == "max":
        result = tl.where(tl.sum(nans, 0) > 0, float("nan"), tl.max(total, 0))
    else:
        result = tl.sum(total, 0)
    if KIND == "mean":
        result = result / (last - first).to(tl.float32)
    tl.store(y + s * cols + c, result.to(y.dtype.element_ty), mask=c < cols)


def segment_sum(x: torch.Tensor, offsets: torch.Tensor, *, kind: str = "sum") -> torch.Tensor:
    cols = x.shape[1]
    y = x.new_empty(offsets.numel() - 1, cols)
    if y.numel():
        tile = (128, 1) if cols == 1 else (8, 32)
        segment_sum_kernel[y.shape[0], triton.cdiv(cols, tile[1])](
            x.contiguous(), offsets.contiguous(), y, cols, KIND=kind, ROWS=tile[0], COLS=tile[1]
        )
    return y
