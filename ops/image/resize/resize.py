"""Another size in Triton: the weights by torch, both sums in one program.

As 02_tables.cu: tables of weights first, then one program per piece of a row of the result, which visits all pixels of each result.
"""

import torch
import triton
import triton.language as tl

TILE = 256


def _table(size_in: int, size_out: int, antialias: bool, bytes_: bool, device):
    """The first pixel of every result and its weights, (size_out, most)."""
    reach = 2 * (size_in if antialias and size_in > size_out else size_out)
    o = torch.arange(size_out, device=device)[:, None]
    start = (2 * o + 1) * size_in - reach - size_out
    first = torch.where(start < 0, 0, start // (2 * size_out) + 1).clamp(max=size_in - 1)
    j = first + torch.arange(reach // size_out + 2, device=device)[None, :]
    weights = reach - ((2 * j + 1) * size_out - (2 * o + 1) * size_in).abs()
    weights = torch.where(j < size_in, weights.clamp(min=0), 0)
    total = weights.sum(1, keepdim=True)
    if bytes_:
        sums = torch.div((weights.cumsum(1) << 13) + total, 2 * total, rounding_mode="floor")
        weights = torch.diff(sums, dim=1, prepend=torch.zeros_like(o))
    else:
        weights = (weights.double() / total).float()
    return first.flatten().int(), weights.contiguous()


@triton.jit
def resize_kernel(
    x, y, row_first, row_weights, col_first, col_weights, height, width, channels, out_height,
    out_width, TALL: tl.constexpr, WIDE: tl.constexpr, BYTES: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    image, row = tl.program_id(2).to(tl.int64), tl.program_id(0)
    e = tl.program_id(1) * TILE + tl.arange(0, TILE)
    line, out_line = width * channels, out_width * channels
    col, c = e // channels, e % channels
    top = tl.load(row_first + row)
    left = tl.load(col_first + col, mask=e < out_line, other=0)
    total = tl.zeros((TILE,), tl.int64 if BYTES else tl.float32)
    for r in range(TALL):
        part = tl.zeros((TILE,), tl.int64 if BYTES else tl.float32)
        v = tl.load(row_weights + row * TALL + r)
        for k in range(WIDE):
            h = tl.load(col_weights + col * WIDE + k, mask=e < out_line, other=0)
            at = (image * height + top + r) * line + (left + k) * channels + c
            # A pixel without weight is not read: it may be past the end, or infinite.
            value = tl.load(x + at, mask=h * v != 0, other=0)
            part += h * value.to(part.dtype)
        total += v * part
    if BYTES:
        total = (total + 8388608) >> 24
    tl.store(
        y + (image * out_height + row) * out_line + e, total.to(y.dtype.element_ty),
        mask=e < out_line,
    )  # fmt: skip


def resize(x: torch.Tensor, like: torch.Tensor, antialias: bool = True) -> torch.Tensor:
    x = x.contiguous()
    height, width, channels = x.shape[-3:]
    out_height, out_width = like.shape
    y = torch.empty(*x.shape[:-3], out_height, out_width, channels, dtype=x.dtype, device=x.device)
    if y.numel():
        bytes_ = x.dtype == torch.uint8
        rows = _table(height, out_height, antialias, bytes_, x.device)
        cols = _table(width, out_width, antialias, bytes_, x.device)
        images = x.numel() // (height * width * channels)
        grid = (out_height, triton.cdiv(out_width * channels, TILE), images)
        resize_kernel[grid](
            x, y, *rows, *cols, height, width, channels, out_height, out_width,
            TALL=rows[1].shape[1], WIDE=cols[1].shape[1], BYTES=bytes_, TILE=TILE,
        )  # fmt: skip
    return y
