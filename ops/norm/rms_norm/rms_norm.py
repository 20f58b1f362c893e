"""RMS normalisation and its gradient in Triton.

Against 05_registers.cu and backward_03_vector.cu: a row that fits a tile is loaded once and stays in registers, and
`tl.sum` stands for the shuffles and the barrier. Longer rows are read again, part by part. The gradient's programs
walk over the rows as the CUDA blocks do, several short ones at a time; their sums for dweight are registers here, and
torch adds up what they leave. A tile always has a whole row, so that very long ones spill.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(x, weight, y, rstd, cols, eps, WEIGHT: tl.constexpr, COLS: tl.constexpr):
    """One row, tile by tile; a single tile is read once."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, COLS)
    tile = tl.load(x + row * cols + c, mask=c < cols, other=0).to(tl.float32)
    squares = tile * tile
    for first in range(COLS, cols, COLS):
        more = first + c
        v = tl.load(x + row * cols + more, mask=more < cols, other=0).to(tl.float32)
        squares += v * v
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / cols + eps)
    for first in range(0, cols, COLS):
        more = first + c
        if first > 0:
            tile = tl.load(x + row * cols + more, mask=more < cols, other=0).to(tl.float32)
        result = tile * scale
        if WEIGHT:
            result *= tl.load(weight + more, mask=more < cols, other=0).to(tl.float32)
        tl.store(y + row * cols + more, result.to(y.dtype.element_ty), mask=more < cols)
    tl.store(rstd + row, scale)


@triton.jit
def rms_norm_backward_kernel(
    x, dy, rstd, weight, dx, partials, rows, cols, WEIGHT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """Walks over the rows, ROWS whole ones at a time, and leaves its sums for dweight."""
    c = tl.arange(0, COLS)
    dweight = tl.zeros((COLS,), tl.float32)
    w = tl.full((COLS,), 1.0, tl.float32)
    if WEIGHT:
        w = tl.load(weight + c, mask=c < cols, other=0).to(tl.float32)
    for first in range(tl.program_id(0) * ROWS, rows, tl.num_programs(0) * ROWS):
        r = first + tl.arange(0, ROWS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        at = r[:, None].to(tl.int64) * cols + c[None, :]  # (ROWS, COLS)
        scale = tl.load(rstd + r, mask=r < rows, other=0)[:, None]
        slope = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        normal = tl.load(x + at, mask=inside, other=0).to(tl.float32) * scale
        g = slope * w[None, :]
        dot = tl.sum(g * normal, 1)[:, None] / cols
        tl.store(dx + at, (scale * (g - normal * dot)).to(dx.dtype.element_ty), mask=inside)
        dweight += tl.sum(slope * normal, 0)
    tl.store(partials + tl.program_id(0).to(tl.int64) * cols + c, dweight, mask=c < cols)


def _tile(cols: int) -> int:
    """Few shapes, so that few are compiled."""
    return next((n for n in (64, 1024, 4096) if cols <= n), 8192)


def rms_norm(x, weight=None, *, eps=1e-6):
    x = x.contiguous()
    y = torch.empty_like(x)
    rstd = torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)
    if rstd.numel() and x.shape[-1]:
        w, cols = x if weight is None else weight.contiguous(), x.shape[-1]
        rms_norm_kernel[(rstd.numel(),)](
            *(x, w, y, rstd, cols, eps), WEIGHT=weight is not None, COLS=_tile(cols), num_warps=8
        )
    return y, rstd


def rms_norm_backward(x, dy, rstd, weight=None):
    x, dy, rstd = (t.contiguous() for t in (x, dy, rstd))
    rows, cols = rstd.numel(), x.shape[-1]
    dx = torch.empty_like(x)
    tile_rows = 64 if cols <= 64 else 8 if cols <= 1024 else 1
    parts = min(triton.cdiv(rows, tile_rows), 128)
    partials = torch.empty((parts, cols), dtype=torch.float32, device=x.device)
    if dx.numel():
        rms_norm_backward_kernel[(parts,)](
            *(x, dy, rstd, x if weight is None else weight.contiguous(), dx, partials, rows, cols),
            WEIGHT=weight is not None,
            ROWS=tile_rows,
            COLS=max(64, triton.next_power_of_2(cols)),
            num_warps=8 if cols <= 4096 else 16,
        )
    return dx, partials.sum(0).to(x.dtype)
