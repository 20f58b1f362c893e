"""Sums, means and maxima of segments in Triton: one program per segment and piece of its columns.

That is 02_warp.cu with the team's size left to the compiler. A program has one segment, so short ones leave most of it idle
and a giant one is the work of one program; the teams and the list of 03_teams.cu have no counterpart here.

By ids it is by_id_01_atomics.cu: atomics on floats, maxima as integers in the order of floats. The gradients gather, as
backward_01_search.cu and by_id_backward_01_gather.cu do; for offsets torch.searchsorted finds the segments first.
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


# Integers in the order of floats: NaN above all, the least integer below all.
@triton.jit
def _key(x):
    bits = x.to(tl.int32, bitcast=True)
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    return tl.where(x != x, 0x7FFFFFFF, ordered)  # noqa: PLR0124


@triton.jit
def by_id_kernel(
    x, ids, totals, keys, rows, size, cols, segments, MAX: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < size
    s = tl.load(ids + i // cols, mask=inside, other=-1).to(tl.int64)
    named = inside & (s >= 0) & (s < segments)
    value = tl.load(x + i, mask=named, other=0).to(tl.float32)
    at = s * cols + i % cols
    if MAX:
        tl.atomic_max(keys + at, _key(value), mask=named)
    else:
        tl.atomic_add(totals + at, value, mask=named)
    tl.atomic_add(rows + s, 1, mask=named & (i % cols == 0))


def _of_keys(keys: torch.Tensor) -> torch.Tensor:
    bits = torch.where(keys < 0, keys ^ 0x7FFFFFFF, keys)
    value = bits.view(torch.float32)
    value = torch.where(keys == 0x7FFFFFFF, float("nan"), value)
    return torch.where(keys == -(2**31), float("-inf"), value)


def segment_sum_by_id(
    x: torch.Tensor, ids: torch.Tensor, *, segments: int = 1, kind: str = "sum"
) -> torch.Tensor:
    cols = x.shape[1]
    totals = torch.zeros(segments, cols, dtype=torch.float32, device=x.device)
    keys = torch.full((segments, cols), -(2**31), dtype=torch.int32, device=x.device)
    rows = torch.zeros(segments, 1, dtype=torch.int32, device=x.device)
    if x.numel() and segments:
        by_id_kernel[(triton.cdiv(x.numel(), 256),)](
            x.contiguous(), ids.contiguous(), totals, keys, rows, x.numel(), cols, segments,
            MAX=kind == "max", BLOCK=256,
        )  # fmt: skip
    if kind == "max":
        return _of_keys(keys).to(x.dtype)
    return (totals / rows if kind == "mean" else totals).to(x.dtype)


@triton.jit
def ties_kernel(x, y, segment, ties, size, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(segment + i // cols, mask=i < size, other=-1)
    at = s * cols + i % cols
    same = tl.load(x + i, mask=s >= 0, other=0) == tl.load(y + at, mask=s >= 0, other=1)
    tl.atomic_add(ties + at, 1, mask=(s >= 0) & same)


@triton.jit
def gradient_kernel(
    dy, x, y, segment, counts, dx, size, cols, KIND: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(segment + i // cols, mask=i < size, other=-1)
    at = s * cols + i % cols
    value = tl.load(dy + at, mask=s >= 0, other=0).to(tl.float32)
    if KIND == "mean":
        value = tl.div_rn(value, tl.load(counts + s, mask=s >= 0, other=1).to(tl.float32))
    if KIND == "max":
        same = tl.load(x + i, mask=s >= 0, other=0) == tl.load(y + at, mask=s >= 0, other=1)
        ties = tl.load(counts + at, mask=(s >= 0) & same, other=1).to(tl.float32)
        value = tl.where(same, tl.div_rn(value, ties), 0.0)
    tl.store(dx + i, value.to(dx.dtype.element_ty), mask=i < size)


def _gradient(dy, segment, lengths, x, y, kind):
    """segment: of each row, -1 for none. lengths: of each segment."""
    cols = dy.shape[1]
    dx = dy.new_empty(segment.numel(), cols)
    size, dy = dx.numel(), dy.contiguous()
    if size == 0 or dy.numel() == 0:
        return dx.zero_()
    grid = (triton.cdiv(size, 256),)
    counts = lengths.contiguous()
    x, y = (dy if t is None else t.contiguous() for t in (x, y))
    if kind == "max":
        counts = torch.zeros(dy.shape, dtype=torch.int32, device=dy.device)
        ties_kernel[grid](x, y, segment, counts, size, cols, BLOCK=256)
    gradient_kernel[grid](dy, x, y, segment, counts, dx, size, cols, KIND=kind, BLOCK=256)
    return dx


def segment_sum_backward(
    dy: torch.Tensor,
    offsets: torch.Tensor,
    x: torch.Tensor | None = None,
    y: torch.Tensor | None = None,
    *,
    n: int = 1,
    kind: str = "sum",
) -> torch.Tensor:
    rows = torch.arange(n, device=dy.device, dtype=offsets.dtype)
    segment = torch.searchsorted(offsets.contiguous(), rows, right=True) - 1
    segment = torch.where(segment < dy.shape[0], segment, -1)
    return _gradient(dy, segment, offsets.diff(), x, y, kind)


def segment_sum_by_id_backward(
    dy: torch.Tensor,
    ids: torch.Tensor,
    x: torch.Tensor | None = None,
    y: torch.Tensor | None = None,
    *,
    kind: str = "sum",
) -> torch.Tensor:
    segment = torch.where((ids >= 0) & (ids < dy.shape[0]), ids.long(), -1)
    lengths = torch.bincount(segment + 1, minlength=dy.shape[0] + 1)[1:]
    return _gradient(dy, segment, lengths, x, y, kind)
