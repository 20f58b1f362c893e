"""The place of the largest or smallest element of each row in Triton: a tile of best values that walks along the rows.

Against 05_single_pass.cu: the comparison is the same, a value together with its place. Here each column of the tile keeps both
for every element it sees; the CUDA rung keeps the place of a 16-byte vector and looks the element up at the end. A long row takes
two launches.
"""

import torch
import triton
import triton.language as tl

STRETCH = 1 << 17  # elements of a row that one program takes, where rows are long and few
NOWHERE = tl.constexpr((1 << 63) - 1)

# Triton's interpreter calls the function that joins two candidates once for each element: milliseconds for a row.
INTERPRETED_ELEMENTS = 3000


@triton.jit
def better(a, at_a, b, at_b):
    """Whether b beats a: NaN over numbers, then the larger, then the first."""
    nan_a, nan_b = a != a, b != b  # noqa: PLR0124
    wins = (b > a) | (nan_b & (nan_a == 0))
    loses = (a > b) | (nan_a & (nan_b == 0))
    return wins | ((loses == 0) & (at_b < at_a))


@triton.jit
def pick(a, at_a, b, at_b):
    take = better(a, at_a, b, at_b)
    return tl.where(take, b, a), tl.where(take, at_b, at_a)


@triton.jit
def argmax_kernel(
    x, places, values, y, rows, cols, row_stride, col_stride, stretch, parts, MIN: tl.constexpr,
    SECOND: tl.constexpr, FIRST: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    first = tl.program_id(1).to(tl.int64) * stretch
    last = tl.minimum(first + stretch, cols)
    exact: tl.constexpr = x.dtype.element_ty == tl.int32
    kind: tl.constexpr = tl.int32 if exact else tl.float32
    least: tl.constexpr = -2147483648 if exact else float("-inf")
    best = tl.full((ROWS, COLS), least, kind)
    at = tl.full((ROWS, COLS), NOWHERE, tl.int64)
    for start in range(first, last, COLS):
        c = start + tl.arange(0, COLS).to(tl.int64)  # (COLS,)
        inside = (r[:, None] < rows) & (c[None, :] < last)
        place = r[:, None] * row_stride + c[None, :] * col_stride
        value = tl.load(x + place, mask=inside, other=0).to(kind)
        if MIN:
            value = ~value if exact else -value
        value = tl.where(inside, value, least)
        if SECOND:
            c_at = tl.load(places + place, mask=inside, other=NOWHERE)
        else:
            c_at = tl.where(inside, c[None, :], NOWHERE)
        best, at = pick(best, at, value, c_at)
    best, at = tl.reduce((best, at), 1, pick)
    mine = r < rows
    if FIRST:
        tl.store(values + r * parts + tl.program_id(1), best, mask=mine)
        tl.store(y + r * parts + tl.program_id(1), at, mask=mine)
    else:
        tl.store(y + r, tl.where(at == NOWHERE, -1, at), mask=mine)


def _launch(x, strides, shape, places, values, y, stretch, minimum):
    rows, cols = shape
    parts = triton.cdiv(max(cols, 1), stretch)
    tile = (64, 32) if cols <= 64 else (8, 256) if cols <= 2048 else (1, 4096)
    argmax_kernel[triton.cdiv(rows, tile[0]), parts](
        x, y if places is None else places, x if values is None else values, y, rows, cols, *strides,
        stretch, parts, MIN=minimum, SECOND=places is not None, FIRST=values is not None,
        ROWS=tile[0], COLS=tile[1],
    )  # fmt: skip


def argmax(x: torch.Tensor, *, kind: str = "max") -> torch.Tensor:
    y = torch.empty(x.shape[:-1], dtype=torch.int64, device=x.device)
    if y.numel() == 0:
        return y
    if x.dim() != 2:
        x = x.contiguous().view(y.numel(), x.shape[-1])
    rows, cols = x.shape
    if cols <= STRETCH or rows >= 1024:
        _launch(x, x.stride(), x.shape, None, None, y.view(-1), max(cols, 1), kind == "min")
        return y
    parts = triton.cdiv(cols, STRETCH)
    wide = x.dtype if x.dtype == torch.int32 else torch.float32
    values = torch.empty(rows, parts, dtype=wide, device=x.device)
    places = torch.empty(rows, parts, dtype=torch.int64, device=x.device)
    _launch(x, x.stride(), x.shape, None, values, places, STRETCH, kind == "min")
    # The values are flipped already: the largest is wanted.
    _launch(values, values.stride(), values.shape, places, None, y.view(-1), parts, False)
    return y
