"""Histograms in Triton: a program computes the bins of a tile and adds to the result by atomics in global memory.

That is 01_global_atomics.cu. Shared memory that the data address is what Triton does not give: the copies per block, warp and
thread of rungs 02 to 06 have no counterpart. `tl.histogram` counts a tile in shared memory, but only small integers, and its
result still has to be added to memory tile by tile.
"""

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def histogram_kernel(
    x, edges, scale, y, n, bins, ANY: tl.constexpr, STEPS: tl.constexpr, BLOCK: tl.constexpr
):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0).to(tl.float32)
    first, last = tl.load(edges), tl.load(edges + bins)
    inside = (i < n) & (value >= first) & (value <= last)
    if ANY:
        below = tl.zeros((BLOCK,), tl.int32)
        above = below + bins
        for _ in range(STEPS):
            middle = (below + above) // 2
            right = tl.load(edges + middle, mask=inside, other=0) <= value
            more = above - below > 1
            below = tl.where(more & right, middle, below)
            above = tl.where(more & (right == 0), middle, above)
        bin_ = below
    else:
        place = tl.where(inside, (value - first) * tl.load(scale), 0.0)
        bin_ = tl.minimum(place.to(tl.int32), bins - 1)
    tl.atomic_add(y + bin_, tl.full((BLOCK,), 1, tl.int64), mask=inside)


def histogram(x: torch.Tensor, edges: torch.Tensor, *, spacing: str = "uniform") -> torch.Tensor:
    bins = edges.numel() - 1
    y = torch.zeros(bins, dtype=torch.int64, device=x.device)
    n = x.numel()
    if n == 0 or bins == 0:
        return y
    x, edges = x.contiguous(), edges.contiguous()
    # IEEE division of two tensors: a kernel's own is not, and torch makes `bins / width` of a reciprocal, rounded twice.
    width = edges[-1] - edges[0]
    scale = torch.where(
        width > 0, torch.full_like(width, bins) / width, torch.zeros_like(width)
    ).reshape(1)
    histogram_kernel[(triton.cdiv(n, BLOCK),)](
        x, edges, scale, y, n, bins, ANY=spacing == "any", STEPS=bins.bit_length(), BLOCK=BLOCK
    )
    return y
