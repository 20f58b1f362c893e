"""Two sorted sequences as one, in Triton: each element finds its place by a binary search.

Triton has no loop that a thread runs on its own, and no reads of shared memory at computed places, so the serial merge of 02 to 04
cannot be written. This is rung 01's way: a block of elements searches the other input together, all lanes the same number of
steps.
"""

import torch
import triton
import triton.language as tl

_BY = {"ascending": 0, "descending": 1, "magnitude": 2}


@triton.jit
def _rank(key, BY: tl.constexpr):
    """A number that is lower for the key that comes first: from the bits, sign and magnitude."""
    if key.dtype == tl.int32:
        wide = key.to(tl.int64)
        rank = tl.abs(wide) if BY == 2 else wide
    else:
        if key.dtype == tl.float32:
            bits = key.to(tl.int32, bitcast=True).to(tl.int64)
            largest: tl.constexpr = 0x7FFFFFFF
            infinity: tl.constexpr = 0x7F800000
        else:
            bits = key.to(tl.int16, bitcast=True).to(tl.int64)
            largest: tl.constexpr = 0x7FFF
            infinity: tl.constexpr = 0x7C00 if key.dtype == tl.float16 else 0x7F80
        magnitude = bits & largest
        rank = magnitude if BY == 2 else tl.where(bits < 0, -magnitude, magnitude)
        rank = tl.where(magnitude > infinity, largest, rank)  # NaN
    return -rank if BY == 1 else rank


@triton.jit
def merge_kernel(
    mine, my_values, other, y, y_values, n, m, steps,
    EQUAL: tl.constexpr, PAIRS: tl.constexpr, BY: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    key = tl.load(mine + i, mask=inside, other=0)
    rank = _rank(key, BY)
    low = tl.zeros((BLOCK,), tl.int64)
    high = tl.zeros((BLOCK,), tl.int64) + m
    for _ in range(steps):
        middle = (low + high) // 2
        searching = inside & (low < high)
        there = _rank(tl.load(other + middle, mask=searching, other=0), BY)
        before = (there <= rank) if EQUAL else (there < rank)
        low = tl.where(searching & before, middle + 1, low)
        high = tl.where(searching & (before == 0), middle, high)
    tl.store(y + i + low, key, mask=inside)
    if PAIRS:
        tl.store(y_values + i + low, tl.load(my_values + i, mask=inside, other=0), mask=inside)


def merge(
    a: torch.Tensor,
    b: torch.Tensor,
    a_values: torch.Tensor | None = None,
    b_values: torch.Tensor | None = None,
    *,
    comparison: str = "ascending",
) -> tuple[torch.Tensor, torch.Tensor]:
    a, b = a.contiguous(), b.contiguous()
    pairs = a_values is not None
    y = a.new_empty(a.numel() + b.numel())
    y_values = torch.empty(y.numel() if pairs else 0, dtype=torch.int32, device=a.device)
    block = 1024
    for mine, values, other, equal in ((a, a_values, b, False), (b, b_values, a, True)):
        if mine.numel():
            merge_kernel[(triton.cdiv(mine.numel(), block),)](
                mine,
                values.contiguous() if pairs else y,
                other if other.numel() else mine,
                y,
                y_values if pairs else y,
                mine.numel(),
                other.numel(),
                other.numel().bit_length(),
                EQUAL=equal,
                PAIRS=pairs,
                BY=_BY[comparison],
                BLOCK=block,
            )
    return y, y_values
