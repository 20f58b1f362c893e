"""A stable sort in Triton: tiles by a bitonic network, then merges by binary search.

A key's rank and its place in the tile make one 64-bit number, so that the network keeps the order of equal keys. Each
pass then merges pairs of runs: an element of one run finds its place by a search in the other, since Triton has no serial merge
per thread (see merge.py).
"""

import torch
import triton
import triton.language as tl

_BY = {"ascending": 0, "descending": 1, "magnitude": 2}
_TILE = 1024


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
def _sort_descending(c, place, LOG: tl.constexpr):
    """Bitonic sort of 2^LOG numbers: each step is one exchange at a fixed distance."""
    for i in tl.static_range(1, LOG + 1):
        for j in tl.static_range(0, i):
            other = tl.gather(c, place ^ (1 << (i - 1 - j)), 0)
            larger = ((place & (1 << (i - 1 - j))) == 0) == ((place & (1 << i)) == 0)
            c = tl.where(larger, tl.maximum(c, other), tl.minimum(c, other))
    return c


@triton.jit
def sort_tiles_kernel(
    keys, values, y, y_values, n, PAIRS: tl.constexpr, BY: tl.constexpr, LOG: tl.constexpr
):
    TILE: tl.constexpr = 1 << LOG
    first = tl.program_id(0).to(tl.int64) * TILE
    place = tl.arange(0, TILE)
    inside = first + place < n
    rank = _rank(tl.load(keys + first + place, mask=inside, other=0), BY)
    last: tl.constexpr = 1 << 40
    packed = tl.where(inside, rank, last) * TILE + place
    source = first + (-_sort_descending(-packed, place, LOG) & (TILE - 1))
    tl.store(y + first + place, tl.load(keys + source, mask=inside, other=0), mask=inside)
    if PAIRS:
        value = tl.load(values + source, mask=inside, other=0)
        tl.store(y_values + first + place, value, mask=inside)


@triton.jit
def merge_runs_kernel(
    keys, values, y, y_values, n, run, steps,
    PAIRS: tl.constexpr, BY: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    key = tl.load(keys + i, mask=inside, other=0)
    rank = _rank(key, BY)
    begin = i // (2 * run) * (2 * run)
    second = i - begin >= run
    other = tl.minimum(tl.where(second, begin, begin + run), n)
    low = other
    high = tl.minimum(other + run, n)
    for _ in range(steps):
        middle = (low + high) // 2
        searching = inside & (low < high)
        there = _rank(tl.load(keys + middle, mask=searching, other=0), BY)
        before = (there < rank) | ((there == rank) & second)
        low = tl.where(searching & before, middle + 1, low)
        high = tl.where(searching & (before == 0), middle, high)
    own = tl.where(second, i - begin - run, i - begin)
    to = begin + own + (low - other)
    tl.store(y + to, key, mask=inside)
    if PAIRS:
        tl.store(y_values + to, tl.load(values + i, mask=inside, other=0), mask=inside)


def merge_sort(
    keys: torch.Tensor, values: torch.Tensor | None = None, *, comparison: str = "ascending"
) -> tuple[torch.Tensor, torch.Tensor]:
    keys, pairs, n = keys.contiguous(), values is not None, keys.numel()
    source = (keys, values.contiguous() if pairs else keys)
    none = torch.empty(0, dtype=torch.int32, device=keys.device)
    if n == 0:
        return torch.empty_like(keys), none
    buffers = [
        (torch.empty_like(keys), torch.empty_like(values) if pairs else keys) for _ in range(2)
    ]
    by, block, turn = _BY[comparison], 1024, 0
    sort_tiles_kernel[(triton.cdiv(n, _TILE),)](
        *source, *buffers[0], n, PAIRS=pairs, BY=by, LOG=_TILE.bit_length() - 1
    )
    run = _TILE
    while run < n:
        merge_runs_kernel[(triton.cdiv(n, block),)](
            *buffers[turn],
            *buffers[1 - turn],
            n,
            run,
            run.bit_length(),
            PAIRS=pairs,
            BY=by,
            BLOCK=block,
        )
        turn, run = 1 - turn, 2 * run
    return buffers[turn] if pairs else (buffers[turn][0], none)
