"""Augmentation in Triton: one program per piece of an image.

The parameters of the images are drawn by torch, a few numbers for each; the kernel is that of 02_image.cu with the channels one
after the other.
"""

import math

import torch
import triton
import triton.language as tl

TILE = 256
_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
MASK = 0xFFFFFFFF


def _wide(word, by: int):
    """Both halves of a product, in 63 bits, as signed integers have no more: the factor in two halves of 16 bits."""
    upper, lower = word * (by >> 16), word * (by & 0xFFFF)
    high = (upper + (lower >> 16)) >> 16
    return high, (((upper & 0xFFFF) << 16) + lower) & MASK


def _words(counter, seed: int, offset: int):
    zero = counter * 0
    c0, c1 = counter & MASK, counter >> 32
    c2, c3 = zero + (offset & MASK), zero + ((offset >> 32) & MASK)
    even, odd = seed & MASK, (seed >> 32) & MASK
    for _ in range(10):
        high_a, low_a = _wide(c0, 0xD2511F53)
        high_b, low_b = _wide(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_b ^ c1 ^ even, low_b, high_a ^ c3 ^ odd, low_a
        even, odd = (even + 0x9E3779B9) & MASK, (odd + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def _draws(x, like, padding, flip, rotation, brightness, contrast, saturation, cut, seed, offset):
    """As draws.h has them: whole numbers (batch, 5) and floats (batch, 4)."""
    batch, height, width, _ = x.shape
    out_height, out_width = like.shape
    image = 4 * torch.arange(batch, device=x.device)
    place, colour, where = (_words(image + k, seed, offset) for k in range(3))

    def below(word, n):
        return (word * n) >> 32

    def factor(word, strength):
        return 1 + strength * (2 * ((word >> 8).float() * 2**-24) - 1)

    signed = torch.where(place[3] < 2**31, place[3], place[3] - 2**32)
    whole = (
        below(place[0], height + 2 * padding - out_height + 1) - padding,
        below(place[1], width + 2 * padding - out_width + 1) - padding,
        (place[2] < math.floor(flip * 2**32)).long(),
        below(where[0], out_height) - cut // 2,
        below(where[1], out_width) - cut // 2,
    )
    real = (
        math.radians(rotation) * (signed.float() * 2**-31),
        factor(colour[0], brightness),
        factor(colour[1], contrast),
        factor(colour[2], saturation),
    )
    return torch.stack(whole, -1), torch.stack(real, -1)


@triton.jit
def corner(x, row, col, height, width, weight, C: tl.constexpr):
    inside = (row >= 0) & (row < height) & (col >= 0) & (col < width)
    return weight * tl.load(x + (row * width + col) * 3 + C, mask=inside, other=0).to(tl.float32)


@triton.jit
def sampled(x, y0, x0, u, w, height, width, C: tl.constexpr):
    row, col = y0.to(tl.int32), x0.to(tl.int32)
    v = corner(x, row, col, height, width, (1 - w) * (1 - u), C)
    v += corner(x, row, col + 1, height, width, (1 - w) * u, C)
    v += corner(x, row + 1, col, height, width, w * (1 - u), C)
    return v + corner(x, row + 1, col + 1, height, width, w * u, C)


@triton.jit
def unit(v):
    return tl.minimum(tl.maximum(v, 0.0), 1.0)


@triton.jit
def augment_kernel(
    x, whole, real, mean, std, y, height, width, out_height, out_width, cut, TILE: tl.constexpr
):  # fmt: skip
    image = tl.program_id(0).to(tl.int64)
    p = tl.program_id(1) * TILE + tl.arange(0, TILE)
    pixels = out_height * out_width
    row, col = p // out_width, p % out_width
    top, left = tl.load(whole + 5 * image), tl.load(whole + 5 * image + 1)
    mirror = tl.load(whole + 5 * image + 2)
    cut_top, cut_left = tl.load(whole + 5 * image + 3), tl.load(whole + 5 * image + 4)
    angle, bright = tl.load(real + 4 * image), tl.load(real + 4 * image + 1)
    strong, full = tl.load(real + 4 * image + 2), tl.load(real + 4 * image + 3)
    across = tl.where(mirror > 0, out_width - 1 - col, col).to(tl.float32)
    middle_x, middle_y = (out_width - 1) * 0.5, (out_height - 1) * 0.5
    dx, dy = across - middle_x, row.to(tl.float32) - middle_y
    sine, cosine = tl.sin(angle), tl.cos(angle)
    sx = cosine * dx - sine * dy + middle_x + left.to(tl.float32)
    sy = sine * dx + cosine * dy + middle_y + top.to(tl.float32)
    x0, y0 = tl.floor(sx), tl.floor(sy)
    u, w = sx - x0, sy - y0
    x += image * height * width * 3
    r = unit(sampled(x, y0, x0, u, w, height, width, 0) * (1 / 255) * bright)
    g = unit(sampled(x, y0, x0, u, w, height, width, 1) * (1 / 255) * bright)
    b = unit(sampled(x, y0, x0, u, w, height, width, 2) * (1 / 255) * bright)
    r = unit((r - 0.5) * strong + 0.5)
    g = unit((g - 0.5) * strong + 0.5)
    b = unit((b - 0.5) * strong + 0.5)
    grey = 0.299 * r + 0.587 * g + 0.114 * b
    gone = (row >= cut_top) & (row < cut_top + cut) & (col >= cut_left) & (col < cut_left + cut)
    for c in tl.static_range(3):
        v = r if c == 0 else (g if c == 1 else b)
        v = (unit(grey + full * (v - grey)) - tl.load(mean + c)) / tl.load(std + c)
        v = tl.where(gone, 0.0, v)
        tl.store(y + (image * 3 + c) * pixels + p, v.to(y.dtype.element_ty), mask=p < pixels)


def augment(
    x: torch.Tensor,
    like: torch.Tensor,
    mean: torch.Tensor,
    std: torch.Tensor,
    padding: int = 0,
    flip: float = 0.5,
    rotation: float = 0.0,
    brightness: float = 0.0,
    contrast: float = 0.0,
    saturation: float = 0.0,
    cut: int = 0,
    seed: int = 0,
    offset: int = 0,
    y_dtype: str = "",
) -> torch.Tensor:
    batch, height, width, _ = x.shape
    dtype = _DTYPES.get(y_dtype, torch.float32)
    y = torch.empty(batch, 3, *like.shape, dtype=dtype, device=x.device)
    if y.numel():
        whole, real = _draws(
            x, like, padding, flip, rotation, brightness, contrast, saturation, cut, seed, offset
        )
        out_height, out_width = like.shape
        augment_kernel[(batch, triton.cdiv(out_height * out_width, TILE))](
            x.contiguous(), whole.contiguous(), real.contiguous(), mean, std, y, height, width,
            out_height, out_width, cut, TILE=TILE,
        )  # fmt: skip
    return y
