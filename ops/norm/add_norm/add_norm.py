"""The residual addition and the normalisation behind it in Triton, and their gradient.

Against 03_vector.cu and backward_03_vector.cu: a tile always has a whole row, so that everything is read once and very
long rows spill; `kind` is known when the kernel is compiled.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def add_norm_kernel(
    x, residual, weight, bias, y, s, mean, rstd, rows, cols, eps,
    LAYER: tl.constexpr, WEIGHT: tl.constexpr, BIAS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """ROWS whole rows."""
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    inside = (r[:, None] < rows) & (c[None, :] < cols)
    at = r[:, None].to(tl.int64) * cols + c[None, :]  # (ROWS, COLS)
    left = tl.load(x + at, mask=inside, other=0).to(tl.float32)
    right = tl.load(residual + at, mask=inside, other=0).to(tl.float32)
    total = (left + right).to(s.dtype.element_ty)
    tl.store(s + at, total, mask=inside)
    tile = total.to(tl.float32)  # the norm is that of the rounded sum
    center = tl.zeros((ROWS, 1), tl.float32)
    if LAYER:
        center = tl.sum(tile, 1)[:, None] / cols
    d = tl.where(inside, tile - center, 0)
    scale = 1 / tl.sqrt(tl.sum(d * d, 1)[:, None] / cols + eps)
    result = d * scale
    if WEIGHT:
        result *= tl.load(weight + c, mask=c < cols, other=0).to(tl.float32)[None, :]
    if BIAS:
        result += tl.load(bias + c, mask=c < cols, other=0).to(tl.float32)[None, :]
    tl.store(y + at, result.to(y.dtype.element_ty), mask=inside)
    tl.store(mean + r[:, None], center, mask=r[:, None] < rows)
    tl.store(rstd + r[:, None], scale, mask=r[:, None] < rows)


@triton.jit
def add_norm_backward_kernel(
    s, dy, mean, rstd, ds, weight, dx, partials, rows, cols,
    LAYER: tl.constexpr, DS: tl.constexpr, WEIGHT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
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
        at = r[:, None].to(tl.int64) * cols + c[None, :]
        scale = tl.load(rstd + r, mask=r < rows, other=0)[:, None]
        slope = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        normal = tl.load(s + at, mask=inside, other=0).to(tl.float32)
        if LAYER:
            normal -= tl.load(mean + r, mask=r < rows, other=0)[:, None]
        normal = tl.where(inside, normal * scale, 0)
        g = slope * w[None, :]
        result = g - normal * (tl.sum(g * normal, 1)[:, None] / cols)
        if LAYER:
            result -= tl.sum(g, 1)[:, None] / cols
        result *= scale
        if DS:
            result += tl.load(ds + at, mask=inside, other=0).to(tl.float32)
        tl.store(dx + at, result.to(dx.dtype.element_ty), mask=inside)
        dweight += tl.sum(slope * normal, 0)
        dbias += tl.sum(slope, 0)
    out = partials + tl.program_id(0).to(tl.int64) * 2 * cols + c
    tl.store(out, dweight, mask=c < cols)
    tl.store(out + cols, dbias, mask=c < cols)


def _shape(cols: int) -> dict[str, int]:
    """Several short rows per tile."""
    return {
        "ROWS": 64 if cols <= 64 else 8 if cols <= 1024 else 1,
        "COLS": max(64, triton.next_power_of_2(cols)),
        "num_warps": 8 if cols <= 4096 else 16,
    }


def add_norm(x, residual, weight=None, bias=None, *, kind="layer", eps=1e-5):
    x, residual = x.contiguous(), residual.contiguous()
    y, s = torch.empty_like(x), torch.empty_like(x)
    mean = torch.empty(x.shape[:-1], dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    if x.numel():
        rows, cols = mean.numel(), x.shape[-1]
        w, b = (x if t is None else t.contiguous() for t in (weight, bias))
        shape = _shape(cols)
        add_norm_kernel[(triton.cdiv(rows, shape["ROWS"]),)](
            *(x, residual, w, b, y, s, mean, rstd, rows, cols, eps),
            LAYER=kind == "layer",
            WEIGHT=weight is not None,
            BIAS=bias is not None,
            **shape,
        )
    return y, s, mean, rstd


def add_norm_backward(s, dy, mean, rstd, ds=None, weight=None, *, kind="layer"):
    s, dy, mean, rstd = (t.contiguous() for t in (s, dy, mean, rstd))
    rows, cols = mean.numel(), s.shape[-1]
    dx = torch.empty_like(s)
    shape = _shape(cols)
    parts = min(triton.cdiv(rows, shape["ROWS"]), 128)
    partials = torch.empty((parts, 2, cols), dtype=torch.float32, device=s.device)
    if dx.numel():
        given, w = (s if t is None else t.contiguous() for t in (ds, weight))
        add_norm_backward_kernel[(parts,)](
            *(s, dy, mean, rstd, given, w, dx, partials, rows, cols),
            LAYER=kind == "layer",
            DS=ds is not None,
            WEIGHT=weight is not None,
            **shape,
        )
    dweight, dbias = partials.sum(0).to(s.dtype)
    return dx, dweight, dbias
