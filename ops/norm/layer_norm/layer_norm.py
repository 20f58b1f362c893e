"""Layer normalisation and its gradient in Triton.

Against 05_vector.cu and backward_03_vector.cu: a row that fits a tile is loaded once and stays in registers, and
`tl.sum` stands for the shuffles and the barrier. Longer rows are read again, part by part. The gradient's programs
walk over the rows as the CUDA blocks do, several short ones at a time; their sums for dweight and dbias are registers
here, and torch adds up what they leave. A tile always has a whole row, so that very long ones spill.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x, weight, bias, y, mean, rstd, cols, eps, WEIGHT: tl.constexpr, BIAS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """One row, tile by tile; a single tile is read once."""
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, COLS)
    tile = tl.load(x + row * cols + c, mask=c < cols, other=0).to(tl.float32)
    total = tile
    for first in range(COLS, cols, COLS):
        more = first + c
        total += tl.load(x + row * cols + more, mask=more < cols, other=0).to(tl.float32)
    center = tl.sum(total, 0) / cols
    squares = tl.where(c < cols, (tile - center) * (tile - center), 0)
    for first in range(COLS, cols, COLS):
        more = first + c
        d = tl.load(x + row * cols + more, mask=more < cols, other=0).to(tl.float32) - center
        squares += tl.where(more < cols, d * d, 0)
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / cols + eps)
    for first in range(0, cols, COLS):
        more = first + c
        if first > 0:
            tile = tl.load(x + row * cols + more, mask=more < cols, other=0).to(tl.float32)
        result = (tile - center) * scale
        if WEIGHT:
            result *= tl.load(weight + more, mask=more < cols, other=0).to(tl.float32)
        if BIAS:
            result += tl.load(bias + more, mask=more < cols, other=0).to(tl.float32)
        tl.store(y + row * cols + more, result.to(y.dtype.element_ty), mask=more < cols)
    tl.store(mean + row, center)
    tl.store(rstd + row, scale)


@triton.jit
def layer_norm_backward_kernel(
    x, dy, mean, rstd, weight, dx, partials, rows, cols, WEIGHT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """Walks over the rows, ROWS whole ones at a time, and leaves its sums for dweight and dbias."""
    c = tl.arange(0, COLS)
    dweight = tl.zeros((COLS,), tl.float32)
    dbias = tl.zeros((COLS,), tl.float32)
    w = tl.full((COLS,), 1.0, tl.float32)
    if WEIGHT:
        w = tl.load(weight + c, mask=c < cols, other=0).to(tl.float32)
    for first in range(tl.program_id(0) * ROWS, rows, tl.num_programs(0) * ROWS):
        r = first + tl.arange(0, ROWS)
        inside = (r[:, None] < rows) & (c[None, :] < cols)
        at = r[:, None].to(tl.int64) * cols + c[None, :]  # (ROWS, COLS)
        center = tl.load(mean + r, mask=r < rows, other=0)[:, None]
        scale = tl.load(rstd + r, mask=r < rows, other=0)[:, None]
        slope = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        normal = (tl.load(x + at, mask=inside, other=0).to(tl.float32) - center) * scale
        g = slope * w[None, :]
        total = tl.sum(g, 1)[:, None] / cols
        dot = tl.sum(g * tl.where(inside, normal, 0), 1)[:, None] / cols
        result = scale * (g - total - normal * dot)
        tl.store(dx + at, result.to(dx.dtype.element_ty), mask=inside)
        dweight += tl.sum(slope * normal, 0)
        dbias += tl.sum(slope, 0)
    out = partials + tl.program_id(0).to(tl.int64) * 2 * cols + c
    tl.store(out, dweight, mask=c < cols)
    tl.store(out + cols, dbias, mask=c < cols)


def _tile(cols: int) -> int:
    """Few shapes, so that few are compiled."""
    return next((n for n in (64, 1024, 4096) if cols <= n), 8192)


def layer_norm(x, weight=None, bias=None, *, eps=1e-5):
    x = x.contiguous()
    y = torch.empty_like(x)
    mean = torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    if mean.numel() and x.shape[-1]:
        w, b = (
            x if weight is None else weight.contiguous(),
            x if bias is None else bias.contiguous(),
        )
        cols = x.shape[-1]
        layer_norm_kernel[(mean.numel(),)](
            *(x, w, b, y, mean, rstd, cols, eps),
            WEIGHT=weight is not None,
            BIAS=bias is not None,
            COLS=_tile(cols),
            num_warps=8,
        )
    return y, mean, rstd


def layer_norm_backward(x, dy, mean, rstd, weight=None):
    x, dy, mean, rstd = (t.contiguous() for t in (x, dy, mean, rstd))
    rows, cols = mean.numel(), x.shape[-1]
    dx = torch.empty_like(x)
    tile_rows = 64 if cols <= 64 else 8 if cols <= 1024 else 1
    parts = min(triton.cdiv(rows, tile_rows), 128)
    partials = torch.empty((parts, 2, cols), dtype=torch.float32, device=x.device)
    if dx.numel():
        layer_norm_backward_kernel[(parts,)](
            *(
                x,
                dy,
                mean,
                rstd,
                x if weight is None else weight.contiguous(),
                dx,
                partials,
                rows,
                cols,
            ),
            WEIGHT=weight is not None,
            ROWS=tile_rows,
            COLS=max(64, triton.next_power_of_2(cols)),
            num_warps=8 if cols <= 4096 else 16,
        )
    dweight, dbias = partials.sum(0).to(x.dtype)
    return dx, dweight, dbias
