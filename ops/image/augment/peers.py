"""Augmentation as PyTorch says it: rows of `warpath compare augment`. Every step is a pass over the batch."""

import math

import torch

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


def augment_torch(
    x, like, mean, std, padding=0, flip=0.5, rotation=0.0, brightness=0.0, contrast=0.0,
    saturation=0.0, cut=0, seed=0, offset=0, y_dtype="",
):  # fmt: skip
    batch, height, width, _ = x.shape
    out_height, out_width = like.shape
    whole, real = _draws(
        x, like, padding, flip, rotation, brightness, contrast, saturation, cut, seed, offset
    )
    top, left, mirror, cut_top, cut_left = (w.view(-1, 1, 1) for w in whole.unbind(-1))
    angle, bright, strong, full = (r.view(-1, 1, 1) for r in real.unbind(-1))
    row = torch.arange(out_height, device=x.device).view(1, -1, 1)
    col = torch.arange(out_width, device=x.device).view(1, 1, -1)
    across = torch.where(mirror > 0, out_width - 1 - col, col)
    middle_x, middle_y = (out_width - 1) / 2, (out_height - 1) / 2
    dx, dy = across - middle_x, row - middle_y
    sx = torch.cos(angle) * dx - torch.sin(angle) * dy + middle_x + left
    sy = torch.sin(angle) * dx + torch.cos(angle) * dy + middle_y + top
    x0, y0 = torch.floor(sx), torch.floor(sy)
    u, w = (sx - x0)[..., None], (sy - y0)[..., None]
    index = torch.arange(batch, device=x.device).view(-1, 1, 1)

    def pixel(at_row, at_col):
        inside = (at_row >= 0) & (at_row < height) & (at_col >= 0) & (at_col < width)
        found = x[index, at_row.clamp(0, height - 1).long(), at_col.clamp(0, width - 1).long()]
        return found.float() * inside[..., None]

    above = (1 - u) * pixel(y0, x0) + u * pixel(y0, x0 + 1)
    below = (1 - u) * pixel(y0 + 1, x0) + u * pixel(y0 + 1, x0 + 1)
    v = ((1 - w) * above + w * below) / 255
    v = (v * bright[..., None]).clamp(0, 1)
    v = ((v - 0.5) * strong[..., None] + 0.5).clamp(0, 1)
    grey = (v * torch.tensor([0.299, 0.587, 0.114], device=x.device)).sum(-1, keepdim=True)
    v = (grey + full[..., None] * (v - grey)).clamp(0, 1)
    v = (v - mean.float()) / std.float()
    gone = (row >= cut_top) & (row < cut_top + cut) & (col >= cut_left) & (col < cut_left + cut)
    v = torch.where(gone[..., None], 0.0, v)
    return v.permute(0, 3, 1, 2).contiguous().to(_DTYPES.get(y_dtype, torch.float32))
