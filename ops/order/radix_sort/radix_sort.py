"""Radix sort in Triton: four bits per pass, three launches, as 02_four_bits.cu has it.

Against 04_onesweep.cu: a tile of digits becomes a matrix of zeros and ones, one column per digit value, and `tl.cumsum` along
its rows ranks all keys at once. There are no ballots and no look-back: counts are scanned between two launches, and keys
are read twice per pass. What moves is the ordered key and its place; keys and values are gathered at the end.
"""

import torch
import triton
import triton.language as tl

TILE, BITS = 512, 4
_FLOATS = {
    torch.float64: (torch.int64, 0x7FF0 << 48, 64),
    torch.float32: (torch.int32, 0x7F800000, 32),
    torch.float16: (torch.int16, 0x7C00, 16),
    torch.bfloat16: (torch.int16, 0x7F80, 16),
}
# Torch does little with these types: they are looked at as signed ones of their width.
_UNSIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


@triton.jit
def count_kernel(keys, counts, cols, bit, mask, tiles, DIGITS: tl.constexpr, TILE: tl.constexpr):
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    i = tile * TILE + tl.arange(0, TILE)
    digit = ((tl.load(keys + row * cols + i, mask=i < cols, other=0) >> bit) & mask).to(tl.int32)
    d = tl.arange(0, DIGITS)
    here = ((digit[:, None] == d[None, :]) & (i < cols)[:, None]).to(tl.int32)  # (TILE, DIGITS)
    tl.store(counts + (row * DIGITS + d) * tiles + tile, tl.sum(here, 0).to(tl.int64))


@triton.jit
def scatter_kernel(
    keys, places, starts, keys_out, places_out, cols, bit, mask, tiles, DIGITS: tl.constexpr, TILE: tl.constexpr
):  # fmt: skip
    row, tile = tl.program_id(0).to(tl.int64), tl.program_id(1).to(tl.int64)
    i = tile * TILE + tl.arange(0, TILE)
    inside = i < cols
    key = tl.load(keys + row * cols + i, mask=inside, other=0)
    place = tl.load(places + row * cols + i, mask=inside, other=0)
    digit = ((key >> bit) & mask).to(tl.int32)
    d = tl.arange(0, DIGITS)
    here = ((digit[:, None] == d[None, :]) & inside[:, None]).to(tl.int32)
    before = tl.cumsum(here, 0) - here  # (TILE, DIGITS)
    rank = tl.sum(before * here, 1)
    start = tl.load(starts + (row * DIGITS + digit) * tiles + tile, mask=inside, other=0)
    to = row * cols + start + rank
    tl.store(keys_out + to, key, mask=inside)
    tl.store(places_out + to, place, mask=inside)


def _ordered(keys: torch.Tensor, descending: bool) -> tuple[torch.Tensor, int]:
    """int64 whose low bits are unsigned integers in the order of the keys, and how many bits."""
    if keys.dtype in _FLOATS:
        kind, infinity, width = _FLOATS[keys.dtype]
        bits = keys.contiguous().view(kind).long()
        sign = -(1 << (width - 1))
        bits = torch.where(bits == sign, 0, bits)
        ordered = torch.where(bits < 0, ~bits, bits ^ sign)
        ordered = torch.where((bits & ~sign) > infinity, -1, ordered)
    else:
        width = 8 * keys.element_size()
        unsigned = keys.dtype == torch.uint8 or keys.dtype in _UNSIGNED
        sign = 0 if unsigned else -(1 << (width - 1))
        ordered = keys.contiguous().view(_UNSIGNED.get(keys.dtype, keys.dtype)).long() ^ sign
    return (~ordered if descending else ordered), width


def radix_sort(
    keys: torch.Tensor,
    values: torch.Tensor | None = None,
    *,
    descending: bool = False,
    begin_bit: int = 0,
    end_bit: int = 0,
) -> tuple[torch.Tensor, torch.Tensor]:
    none = torch.empty((0, 0), dtype=torch.int32, device=keys.device)
    if keys.numel() == 0:
        return keys.clone(), none if values is None else values.clone()
    cols = keys.shape[-1]
    rows, tiles = keys.numel() // cols, triton.cdiv(cols, TILE)
    ordered, width = _ordered(keys.reshape(rows, cols), descending)
    ordered = ordered.contiguous()
    places = torch.arange(cols, dtype=torch.int32, device=keys.device).repeat(rows, 1)
    counts = torch.empty(rows, 16 * tiles, dtype=torch.int64, device=keys.device)
    end = end_bit or width
    for bit in range(begin_bit, end, BITS):
        mask = (1 << min(BITS, end - bit)) - 1
        keys_out, places_out = torch.empty_like(ordered), torch.empty_like(places)
        count_kernel[(rows, tiles)](ordered, counts, cols, bit, mask, tiles, DIGITS=16, TILE=TILE)
        starts = torch.cumsum(counts, 1) - counts
        scatter_kernel[(rows, tiles)](
            ordered, places, starts, keys_out, places_out, cols, bit, mask, tiles, DIGITS=16, TILE=TILE
        )  # fmt: skip
        ordered, places = keys_out, places_out
    places = places.long()
    as_signed = keys.reshape(rows, cols).view(_UNSIGNED.get(keys.dtype, keys.dtype))
    result = torch.gather(as_signed, 1, places).view(keys.dtype).view(keys.shape)
    if values is None:
        return result, none
    return result, torch.gather(values.reshape(rows, cols), 1, places).view(keys.shape)
