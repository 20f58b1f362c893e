"""Selection in Triton: counts per tile, a scan of the counts, then each tile's own scan.

Against 04_staged.cu: the three launches of 02_three_launches.cu, so x is read twice. `tl.cumsum` ranks a tile's elements; kept
ones are scattered straight from registers, without a stop in shared memory.
"""

import torch
import triton
import triton.language as tl

TILE = 2048


@triton.jit
def _keeps(x, flags, i, n, threshold, TEST: tl.constexpr):
    inside = i < n
    value = tl.load(x + i, mask=inside, other=0)
    compared = value if value.dtype == tl.int32 else value.to(tl.float32)
    if TEST == "flags":
        keep = tl.load(flags + i, mask=inside, other=0) != 0
    elif TEST == "above":
        keep = compared > threshold
    elif TEST == "nonzero":
        keep = compared != 0
    else:
        before = tl.load(x + i - 1, mask=inside & (i > 0), other=0)
        before = before if before.dtype == tl.int32 else before.to(tl.float32)
        keep = tl.where(i == 0, 1, (compared != before).to(tl.int32)) != 0
    return value, (keep & inside).to(tl.int32), inside


@triton.jit
def count_kernel(x, flags, counts, n, threshold, TEST: tl.constexpr, TILE: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    _value, keep, _inside = _keeps(x, flags, i, n, threshold, TEST)
    tl.store(counts + tl.program_id(0), tl.sum(keep, 0).to(tl.int64))


@triton.jit
def select_kernel(
    x, flags, ends, y, n, threshold, TEST: tl.constexpr, PARTITION: tl.constexpr, TILE: tl.constexpr
):
    tile = tl.program_id(0).to(tl.int64)
    i = tile * TILE + tl.arange(0, TILE)
    value, keep, inside = _keeps(x, flags, i, n, threshold, TEST)
    start = tl.load(ends + tile - 1, mask=tile > 0, other=0)
    before = start + tl.cumsum(keep, 0) - keep
    tl.store(y + before, value, mask=keep != 0)
    if PARTITION:
        tl.store(y + n - 1 - (i - before), value, mask=inside & (keep == 0))


def select(
    x: torch.Tensor,
    y: torch.Tensor,
    flags: torch.Tensor | None = None,
    *,
    test: str = "flags",
    threshold: float = 0.0,
    partition: bool = False,
) -> torch.Tensor:
    """Changes y in place and returns the count."""
    n = x.numel()
    if n == 0:
        return torch.zeros(1, dtype=torch.int64, device=x.device)
    x = x.contiguous()
    flags = x if flags is None else flags.contiguous().view(torch.uint8)
    tiles = triton.cdiv(n, TILE)
    counts = torch.empty(tiles, dtype=torch.int64, device=x.device)
    count_kernel[(tiles,)](x, flags, counts, n, threshold, TEST=test, TILE=TILE)
    ends = torch.cumsum(counts, 0)
    select_kernel[(tiles,)](
        x, flags, ends, y, n, threshold, TEST=test, PARTITION=partition, TILE=TILE
    )
    return ends[-1:].clone()
