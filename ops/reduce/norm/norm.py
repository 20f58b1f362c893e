"""Norms of rows in Triton: a tile of partial sums that walks along the rows.

Against 04_single_pass.cu: the same two launches for a long row as in Triton's reduce; the second one takes the root.
"""

import torch
import triton
import triton.language as tl

STRETCH = 1 << 17  # elements of a row that one program takes, where rows are long and few


# A maximum must pass NaN on, but tl.max does not: NaNs are counted separately.
@triton.jit
def norm_kernel(
    x, y, rows, cols, stretch, parts, p, KIND: tl.constexpr, MAP: tl.constexpr, ROOT: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    first = tl.program_id(1).to(tl.int64) * stretch
    last = tl.minimum(first + stretch, cols)
    total = tl.zeros((ROWS, COLS), tl.float32)
    nans = tl.zeros((ROWS, COLS), tl.int32)
    for at in range(first, last, COLS):
        c = at + tl.arange(0, COLS)  # (COLS,)
        inside = (r[:, None] < rows) & (c[None, :] < last)
        tile = tl.load(x + r[:, None] * cols + c[None, :], mask=inside, other=0).to(tl.float32)
        if MAP:
            if KIND == "two":
                tile = tile * tile
            else:
                tile = tl.abs(tile)
                if KIND == "power":
                    tile = tl.where(inside, tl.exp2(p * tl.log2(tile)), 0.0)
        if KIND == "infinity":
            is_nan = tile != tile  # noqa: PLR0124
            nans += is_nan.to(tl.int32)
            total = tl.maximum(total, tl.where(is_nan, 0.0, tile))
        else:
            total += tile
    if KIND == "infinity":
        result = tl.where(tl.sum(nans, 1) > 0, float("nan"), tl.max(total, 1))
    else:
        result = tl.sum(total, 1)  # (ROWS,)
    if ROOT:
        if KIND == "two":
            result = tl.sqrt_rn(result)
        if KIND == "power":
            result = tl.exp2(tl.log2(result) / p)
    tl.store(y + r * parts + tl.program_id(1), result.to(y.dtype.element_ty), mask=r < rows)


def _launch(x, y, stretch, kind, p, mapped, root):
    rows, cols = x.shape
    parts = triton.cdiv(max(cols, 1), stretch)
    tile = (64, 32) if cols <= 64 else (8, 256) if cols <= 2048 else (1, 4096)
    norm_kernel[triton.cdiv(rows, tile[0]), parts](
        x, y, rows, cols, stretch, parts, p, KIND=kind, MAP=mapped, ROOT=root, ROWS=tile[0],
        COLS=tile[1],
    )  # fmt: skip


def norm(x: torch.Tensor, *, kind: str = "two", p: float = 3.0) -> torch.Tensor:
    y = x.new_empty(x.shape[:-1])
    if y.numel() == 0:
        return y
    x = x.contiguous().view(y.numel(), x.shape[-1])
    rows, cols = x.shape
    if cols <= STRETCH or rows >= 1024:
        _launch(x, y.view(-1), max(cols, 1), kind, p, True, True)
        return y
    partial = torch.empty(rows, triton.cdiv(cols, STRETCH), dtype=torch.float32, device=x.device)
    _launch(x, partial, STRETCH, kind, p, True, False)
    _launch(partial, y.view(-1), partial.shape[1], kind, p, False, True)
    return y
