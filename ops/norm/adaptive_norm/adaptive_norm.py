"""Adaptive layer norm and the gated addition in Triton, and their gradients.

Against 03_vector.cu and backward_03_vector.cu: a tile always has whole tokens of one image, so that everything is read
once and very long ones spill. The gradients' programs share the tokens of an image as the CUDA blocks do; torch adds up
what they leave.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def adaptive_norm_kernel(
    x, scale, shift, y, mean, rstd, tokens, cols, scale_row, scale_column, shift_row, shift_column, eps,
    ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """ROWS whole tokens of one image."""
    image = tl.program_id(0).to(tl.int64)
    t = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    c = tl.arange(0, COLS)
    r = image * tokens + t
    inside = (t[:, None] < tokens) & (c[None, :] < cols)
    at = r[:, None] * cols + c[None, :]  # (ROWS, COLS)
    tile = tl.load(x + at, mask=inside, other=0).to(tl.float32)
    center = tl.sum(tile, 1)[:, None] / cols
    d = tl.where(inside, tile - center, 0)
    slope = 1 / tl.sqrt(tl.sum(d * d, 1)[:, None] / cols + eps)
    w = tl.load(scale + image * scale_row + c * scale_column, mask=c < cols, other=0)
    b = tl.load(shift + image * shift_row + c * shift_column, mask=c < cols, other=0)
    result = d * slope * (1 + w.to(tl.float32))[None, :] + b.to(tl.float32)[None, :]
    tl.store(y + at, result.to(y.dtype.element_ty), mask=inside)
    tl.store(mean + r[:, None], center, mask=t[:, None] < tokens)
    tl.store(rstd + r[:, None], slope, mask=t[:, None] < tokens)


@triton.jit
def adaptive_norm_backward_kernel(
    x, dy, mean, rstd, scale, ds, dx, partials, tokens, cols, scale_row, scale_column,
    DS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """Walks over its part of an image's tokens, ROWS at a time, and leaves its sums for dscale and dshift."""
    image, part, parts = tl.program_id(0).to(tl.int64), tl.program_id(1), tl.num_programs(1)
    c = tl.arange(0, COLS)
    w = tl.load(scale + image * scale_row + c * scale_column, mask=c < cols, other=0)
    w = 1 + w.to(tl.float32)
    dscale = tl.zeros((COLS,), tl.float32)
    dshift = tl.zeros((COLS,), tl.float32)
    for first in range(part * ROWS, tokens, parts * ROWS):
        t = first + tl.arange(0, ROWS)
        r = image * tokens + t
        inside = (t[:, None] < tokens) & (c[None, :] < cols)
        at = r[:, None] * cols + c[None, :]
        center = tl.load(mean + r, mask=t < tokens, other=0)[:, None]
        slope = tl.load(rstd + r, mask=t < tokens, other=0)[:, None]
        d = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        normal = (tl.load(x + at, mask=inside, other=0).to(tl.float32) - center) * slope
        normal = tl.where(inside, normal, 0)
        g = d * w[None, :]
        total = tl.sum(g, 1)[:, None] / cols
        dot = tl.sum(g * normal, 1)[:, None] / cols
        result = slope * (g - total - normal * dot)
        if DS:
            result += tl.load(ds + at, mask=inside, other=0).to(tl.float32)
        tl.store(dx + at, result.to(dx.dtype.element_ty), mask=inside)
        dscale += tl.sum(d * normal, 0)
        dshift += tl.sum(d, 0)
    out = partials + (image * parts + part) * 2 * cols + c
    tl.store(out, dscale, mask=c < cols)
    tl.store(out + cols, dshift, mask=c < cols)


@triton.jit
def gated_add_kernel(
    residual, x, gate, y, tokens, cols, gate_row, gate_column, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """ROWS tokens of one image, COLS of their columns; the gate is loaded once for all of them."""
    image = tl.program_id(0).to(tl.int64)
    t = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    c = tl.program_id(2) * COLS + tl.arange(0, COLS)
    inside = (t[:, None] < tokens) & (c[None, :] < cols)
    at = (image * tokens + t)[:, None] * cols + c[None, :]
    g = tl.load(gate + image * gate_row + c * gate_column, mask=c < cols, other=0).to(tl.float32)
    left = tl.load(residual + at, mask=inside, other=0).to(tl.float32)
    right = tl.load(x + at, mask=inside, other=0).to(tl.float32)
    tl.store(y + at, (left + g[None, :] * right).to(y.dtype.element_ty), mask=inside)


@triton.jit
def gated_add_backward_kernel(
    dy, x, gate, dx, partials, tokens, cols, gate_row, gate_column, ROWS: tl.constexpr, COLS: tl.constexpr
):  # fmt: skip
    """Walks over its part of an image's tokens in its own columns, and leaves its sums for dgate."""
    image, part, parts = tl.program_id(0).to(tl.int64), tl.program_id(1), tl.num_programs(1)
    c = tl.program_id(2) * COLS + tl.arange(0, COLS)
    g = tl.load(gate + image * gate_row + c * gate_column, mask=c < cols, other=0).to(tl.float32)
    dgate = tl.zeros((COLS,), tl.float32)
    for first in range(part * ROWS, tokens, parts * ROWS):
        t = first + tl.arange(0, ROWS)
        inside = (t[:, None] < tokens) & (c[None, :] < cols)
        at = (image * tokens + t)[:, None] * cols + c[None, :]
        d = tl.load(dy + at, mask=inside, other=0).to(tl.float32)
        dgate += tl.sum(d * tl.load(x + at, mask=inside, other=0).to(tl.float32), 0)
        tl.store(dx + at, (g[None, :] * d).to(dx.dtype.element_ty), mask=inside)
    tl.store(partials + (image * parts + part) * cols + c, dgate, mask=c < cols)


def _whole(cols: int) -> dict:
    """Several short tokens per tile."""
    return {
        "ROWS": 16 if cols <= 64 else 4 if cols <= 1024 else 1,
        "COLS": max(64, triton.next_power_of_2(cols)),
        "num_warps": 4 if cols <= 1024 else 8,
    }


def _parts(images: int, tokens: int, rows: int) -> int:
    """Programs per image: about 512 in all, each with some passes."""
    return max(1, min(triton.cdiv(512, max(images, 1)), tokens // (4 * rows)))


def adaptive_norm(x, scale, shift, *, eps=1e-6):
    x = x.contiguous()
    images, tokens, cols = x.shape
    y = torch.empty_like(x)
    mean = torch.empty((images, tokens), dtype=torch.float32, device=x.device)
    rstd = torch.empty_like(mean)
    if x.numel():
        tile = _whole(cols)
        adaptive_norm_kernel[(images, triton.cdiv(tokens, tile["ROWS"]))](
            *(x, scale, shift, y, mean, rstd, tokens, cols, *scale.stride(), *shift.stride(), eps),
            **tile,
        )
    return y, mean, rstd


def adaptive_norm_backward(x, dy, mean, rstd, scale, ds=None):
    x, dy, mean, rstd = (t.contiguous() for t in (x, dy, mean, rstd))
    images, tokens, cols = x.shape
    dx, tile = torch.empty_like(x), _whole(cols)
    parts = _parts(images, tokens, tile["ROWS"])
    partials = torch.empty((images, parts, 2, cols), dtype=torch.float32, device=x.device)
    if partials.numel():
        given = x if ds is None else ds.contiguous()
        adaptive_norm_backward_kernel[(images, parts)](
            *(x, dy, mean, rstd, scale, given, dx, partials, tokens, cols, *scale.stride()),
            DS=ds is not None,
            **tile,
        )
    dscale, dshift = partials.sum(1).to(x.dtype).unbind(1)
    return dx, dscale.contiguous(), dshift.contiguous()


def gated_add(residual, x, gate):
    residual, x = residual.contiguous(), x.contiguous()
    images, tokens, cols = x.shape
    y = torch.empty_like(x)
    if x.numel():
        grid = (images, triton.cdiv(tokens, 16), triton.cdiv(cols, 128))
        gated_add_kernel[grid](
            residual, x, gate, y, tokens, cols, *gate.stride(), ROWS=16, COLS=128
        )
    return y


def gated_add_backward(dy, x, gate):
    dy, x = dy.contiguous(), x.contiguous()
    images, tokens, cols = x.shape
    dx, parts = torch.empty_like(x), _parts(images, tokens, 16)
    partials = torch.empty((images, parts, cols), dtype=torch.float32, device=x.device)
    if partials.numel():
        gated_add_backward_kernel[(images, parts, triton.cdiv(cols, 128))](
            *(dy, x, gate, dx, partials, tokens, cols, *gate.stride()), ROWS=16, COLS=128
        )
    return dx, partials.sum(1).to(x.dtype)
