"""Sums and maxima of rows in Triton: a tile of partial results that walks along the rows.

Against 06_single_pass.cu: the CUDA rung splits long rows among blocks and lets the last one to arrive add up
their partial results, with a fence and an atomic counter. Triton has the atomics too, but the plain way is two
launches: the first leaves one partial result per stretch, the second treats those as rows. The tree of
shuffles and shared memory that rungs 02 to 04 build by hand is one word here, `tl.sum`.
"""

import torch
import triton
import triton.language as tl

STRETCH = 1 << 17  # elements of a row that one program takes, where rows are long and few


# A maximum must pass NaN on, but tl.max does not: NaNs are counted separately.
@triton.jit
def reduce_kernel(
    x, y, rows, cols, stretch, parts, MAX: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    first = tl.program_id(1).to(tl.int64) * stretch
    last = tl.minimum(first + stretch, cols)
    exact: tl.constexpr = x.dtype.element_ty == tl.int32
    kind: tl.constexpr = tl.int32 if exact else tl.float32
    start: tl.constexpr = 0 if not MAX else (-2147483648 if exact else float("-inf"))
    total = tl.full((ROWS, COLS), start, kind)
    nans = tl.zeros((ROWS, COLS), tl.int32)
    for at in range(first, last, COLS):
        c = at + tl.arange(0, COLS)  # (COLS,)
        inside = (r[:, None] < rows) & (c[None, :] < last)
        tile = tl.load(x + r[:, None] * cols + c[None, :], mask=inside, other=start).to(kind)
        if MAX:
            is_nan = tile != tile  # noqa: PLR0124
            nans += is_nan.to(tl.int32)
            total = tl.maximum(total, tl.where(is_nan, start, tile))
        else:
            total += tile
    if MAX:
        result = tl.max(total, 1)  # (ROWS,)
        if not exact:
            result = tl.where(tl.sum(nans, 1) > 0, float("nan"), result)
    else:
        result = tl.sum(total, 1)
    tl.store(y + r * parts + tl.program_id(1), result.to(y.dtype.element_ty), mask=r < rows)


def _launch(x: torch.Tensor, y: torch.Tensor, stretch: int, kind: str) -> None:
    rows, cols = x.shape
    parts = triton.cdiv(cols, stretch)
    # Three shapes, so that few are compiled: many short rows, some of middle length, one stretch.
    tile = (64, 32) if cols <= 64 else (8, 256) if cols <= 2048 else (1, 4096)
    grid = triton.cdiv(rows, tile[0]), parts
    reduce_kernel[grid](
        x, y, rows, cols, stretch, parts, MAX=kind == "max", ROWS=tile[0], COLS=tile[1]
    )


def reduce(x: torch.Tensor, *, kind: str = "sum") -> torch.Tensor:
    y = x.new_empty(x.shape[:-1])
    if y.numel() == 0:
        return y
    x = x.contiguous().view(-1, x.shape[-1])
    rows, cols = x.shape
    if cols <= STRETCH or rows >= 1024:
        _launch(x, y.view(-1), max(cols, 1), kind)
        return y
    # Partial sums stay in float until the end.
    wide = x.dtype if x.dtype == torch.int32 else torch.float32
    partial = torch.empty(rows, triton.cdiv(cols, STRETCH), dtype=wide, device=x.device)
    _launch(x, partial, STRETCH, kind)
    _launch(partial, y.view(-1), partial.shape[1], kind)
    return y
