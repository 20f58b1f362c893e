"""Prefix results in Triton: a program walks along a stretch of a row, a tile at a time.

Against 07_vector.cu: `tl.associative_scan` is the tree of shuffles of a tile, in one word. Between programs Triton has no
look-back here: long rows take the three launches of 05_three_launches.cu, with x read twice.
"""

import torch
import triton
import triton.language as tl

TILE = 1024
STRETCH = 1 << 15  # elements of a row that one program takes, where rows are long and few


@triton.jit
def _combine(a, b, KIND: tl.constexpr):
    if KIND == "sum":
        return a + b
    if KIND == "product":
        return a * b
    return tl.where(a > b, a, tl.where(a != a, a, b))  # noqa: PLR0124


@triton.jit
def _max(a, b):
    return tl.where(a > b, a, tl.where(a != a, a, b))  # noqa: PLR0124


@triton.jit
def _segment_sum(a, a_head, b, b_head):
    return tl.where(b_head != 0, b, a + b), a_head | b_head


@triton.jit
def _segment_product(a, a_head, b, b_head):
    return tl.where(b_head != 0, b, a * b), a_head | b_head


@triton.jit
def _segment_max(a, a_head, b, b_head):
    both = tl.where(a > b, a, tl.where(a != a, a, b))  # noqa: PLR0124
    return tl.where(b_head != 0, b, both), a_head | b_head


@triton.jit
def scan_kernel(
    x, heads, starts, y, cols, stretch, parts, START, KIND: tl.constexpr, EXCLUSIVE: tl.constexpr,
    REVERSE: tl.constexpr, SEGMENTS: tl.constexpr, GIVEN: tl.constexpr, TOTALS: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    part = tl.program_id(1).to(tl.int64)
    exact: tl.constexpr = x.dtype.element_ty == tl.int32 or x.dtype.element_ty == tl.int64
    kind: tl.constexpr = x.dtype.element_ty if exact else tl.float32
    carry = tl.load(starts + row * parts + part).to(kind) if GIVEN else (START + tl.zeros((), kind))
    first = part * stretch
    last = tl.minimum(first + stretch, cols)
    lane = tl.arange(0, TILE)
    if EXCLUSIVE and not TOTALS and first == 0:
        edge = row * cols + (cols - 1 if REVERSE else 0)
        tl.store(y + edge, (START + tl.zeros((), kind)).to(y.dtype.element_ty))
    for at in range(first, last, TILE):
        j = at + lane
        i = row * cols + (cols - 1 - j if REVERSE else j)
        value = tl.load(x + i, mask=j < last, other=START).to(kind)
        if SEGMENTS:
            # In reverse a segment is entered at its last element, the one before the next head.
            mark = i + 1 if REVERSE else i
            here = (j < last) & (j > 0) if REVERSE else j < last
            head = tl.load(heads + mark, mask=here, other=0).to(tl.int32)
            if KIND == "sum":
                value, head = tl.associative_scan((value, head), 0, _segment_sum)
            elif KIND == "product":
                value, head = tl.associative_scan((value, head), 0, _segment_product)
            else:
                value, head = tl.associative_scan((value, head), 0, _segment_max)
            result = tl.where(head != 0, value, _combine(carry, value, KIND))
        else:
            if KIND == "sum":
                value = tl.cumsum(value, 0)
            elif KIND == "product":
                value = tl.cumprod(value, 0)
            else:
                value = tl.associative_scan(value, 0, _max)
            result = _combine(carry, value, KIND)
        if not TOTALS:
            if EXCLUSIVE:  # one place further, where that is in the row
                out = result
                to = i - 1 if REVERSE else i + 1
                there = (j < last) & (j + 1 < cols)
                if SEGMENTS:
                    next_head = tl.load(heads + (i if REVERSE else i + 1), mask=there, other=0)
                    out = tl.where(next_head != 0, START + tl.zeros((TILE,), kind), out)
                tl.store(y + to, out.to(y.dtype.element_ty), mask=there)
            else:
                tl.store(y + i, result.to(y.dtype.element_ty), mask=j < last)
        carry = tl.sum(tl.where(lane == TILE - 1, result, 0), 0)
    if TOTALS:
        tl.store(y + row * parts + part, carry)


def _start(x: torch.Tensor, kind: str):
    if kind == "max":
        return float("-inf") if x.is_floating_point() else torch.iinfo(x.dtype).min
    return 1 if kind == "product" else 0


def _launch(x, heads, starts, y, stretch, start, kind, exclusive, reverse, totals=False):
    rows, cols = x.shape
    parts = triton.cdiv(cols, stretch)
    scan_kernel[(rows, parts)](
        x,
        x if heads is None else heads,
        x if starts is None else starts,
        y,
        cols,
        stretch,
        parts,
        START=start,
        KIND=kind,
        EXCLUSIVE=exclusive,
        REVERSE=reverse,
        SEGMENTS=heads is not None,
        GIVEN=starts is not None,
        TOTALS=totals,
        TILE=TILE,
    )


def scan(
    x: torch.Tensor,
    heads: torch.Tensor | None = None,
    *,
    kind: str = "sum",
    exclusive: bool = False,
    reverse: bool = False,
) -> torch.Tensor:
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    if y.numel() == 0:
        return y
    cols = x.shape[-1]
    x, flat = x.contiguous().view(-1, cols), y.view(-1, cols)
    if heads is not None:
        heads = heads.contiguous().view(-1, cols).view(torch.uint8)
    start = _start(x, kind)
    if cols <= STRETCH or heads is not None or x.shape[0] >= 1024:
        _launch(x, heads, None, flat, cols, start, kind, exclusive, reverse)
        return y
    # Sums of stretches stay in float.
    wide = torch.float32 if x.is_floating_point() else x.dtype
    sums = torch.empty(x.shape[0], triton.cdiv(cols, STRETCH), dtype=wide, device=x.device)
    starts = torch.empty_like(sums)
    _launch(x, None, None, sums, STRETCH, start, kind, False, reverse, totals=True)
    _launch(sums, None, None, starts, sums.shape[1], start, kind, True, False)
    _launch(x, None, starts, flat, STRETCH, start, kind, exclusive, reverse)
    return y
