"""The k best of each row in Triton: sort tiles, keep the best, merge.

Against 06_filter.cu: Triton has no buffer that threads append to, so there is no threshold to filter by. A program walks along its row
and keeps the best 2^m candidates of what it has seen; each tile of the same size is sorted with them. That is rung 04's way. A
candidate is a 64-bit number as in CUDA: the key above the inverted column. The bitonic network is written out: `tl.sort` does the
same on a GPU, but takes minutes in Triton's interpreter.
"""

import torch
import triton
import triton.language as tl


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
def top_k_kernel(
    x, columns, cols, k, SMALLEST: tl.constexpr, SORTED: tl.constexpr, LOG: tl.constexpr
):
    SIZE: tl.constexpr = 1 << LOG
    row = tl.program_id(0).to(tl.int64)
    place = tl.arange(0, SIZE)
    best = tl.zeros((SIZE,), tl.int64)
    for first in range(0, cols, SIZE):
        c = first + place
        value = tl.load(x + row * cols + c, mask=c < cols, other=0)
        if value.dtype == tl.float32:
            bits = value.to(tl.int32, bitcast=True).to(tl.int64)
            largest: tl.constexpr = 0x7FFFFFFF
            infinity: tl.constexpr = 0x7F800000
        else:
            bits = value.to(tl.int16, bitcast=True).to(tl.int64)
            largest: tl.constexpr = 0x7FFF
            infinity: tl.constexpr = 0x7C00 if value.dtype == tl.float16 else 0x7F80
        magnitude = bits & largest
        key = tl.where(bits < 0, -magnitude, magnitude)
        key = tl.where(magnitude > infinity, largest, key)  # NaN
        key = 0x7FFFFFFF - key if SMALLEST else 0x80000000 + key
        # Below 2^63: the key has 32 bits, the column 31. A candidate is never zero.
        new = (key << 31) + (0x7FFFFFFF - c)
        new = tl.where(c < cols, new, 0)
        # Both sorted, one upwards and one downwards: the larger of each pair are the best of both.
        best = tl.maximum(best, -_sort_descending(-new, place, LOG))
        best = _sort_descending(best, place, LOG)
    chosen = 0x7FFFFFFF - (best & 0x7FFFFFFF)
    if not SORTED:
        chosen = -_sort_descending(-tl.where(place < k, chosen, 0x7FFFFFFF), place, LOG)
    tl.store(columns + row * k + place, chosen, mask=place < k)


@triton.jit
def top_k_backward_kernel(dy, indices, dx, n, k, cols, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    column = tl.load(indices + i, mask=inside, other=0)
    tl.store(dx + i // k * cols + column, tl.load(dy + i, mask=inside), mask=inside)


def top_k(
    x: torch.Tensor, *, k: int = 1, side: str = "largest", sorted: bool = True
) -> tuple[torch.Tensor, torch.Tensor]:
    x = x.contiguous()
    indices = torch.empty(*x.shape[:-1], k, dtype=torch.int64, device=x.device)
    if indices.numel():
        cols = x.shape[-1]
        # Long enough that few tiles make a row.
        size = max(64, triton.next_power_of_2(k), min(1024, triton.next_power_of_2(cols)))
        top_k_kernel[(x.numel() // cols,)](
            x,
            indices,
            cols,
            k,
            SMALLEST=side == "smallest",
            SORTED=sorted,
            LOG=size.bit_length() - 1,
        )
    return x.gather(-1, indices), indices


def top_k_backward(dy: torch.Tensor, indices: torch.Tensor, *, cols: int = 1) -> torch.Tensor:
    dx = dy.new_zeros(*dy.shape[:-1], cols)
    if dy.numel():
        n, block = dy.numel(), 1024
        top_k_backward_kernel[(triton.cdiv(n, block),)](
            dy.contiguous(), indices.contiguous(), dx, n, dy.shape[-1], cols, BLOCK=block
        )
    return dx
