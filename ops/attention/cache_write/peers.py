"""Keys and values into the cache as PyTorch says it: a row of `warpath compare cache_write`.

Angles are products in float64, as in rope's peers.py, and the arithmetic is in float whatever the type of k.
"""

import math

import torch


def cache_write_torch(
    k, v, cache_k, cache_v, lengths, block_table=None, q=None, *, pairs="halves", rotary_dim=0,
    base=10000.0, factor=1.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position=8192,
):  # fmt: skip
    """Changes cache_k and cache_v in place and returns the queries turned."""
    batch, tokens, _, head_dim = k.shape
    dim = 0 if pairs == "none" else rotary_dim or head_dim
    i = torch.arange(dim // 2, device=k.device, dtype=torch.float64)
    f = base ** (-2.0 * i / max(dim, 1))
    if factor != 1:
        turns = original_max_position * f / (2 * math.pi)
        smooth = ((turns - low_freq_factor) / (high_freq_factor - low_freq_factor)).clip(0, 1)
        f = f * (smooth + (1 - smooth) / factor)
    positions = lengths.long()[:, None] - tokens + torch.arange(tokens, device=k.device)
    angle = (positions[..., None] * f)[..., None, :]  # (batch, new_tokens, 1, dim / 2)
    wide = torch.promote_types(k.dtype, torch.float32)
    cos, sin = angle.cos().to(wide), angle.sin().to(wide)

    def turned(x):
        x = x.to(wide)
        a, b = x[..., : dim // 2], x[..., dim // 2 : dim]
        if pairs == "neighbours":
            a, b = x[..., 0:dim:2], x[..., 1:dim:2]
        both = torch.stack((a * cos - b * sin, b * cos + a * sin), -1)
        both = both.flatten(-2) if pairs == "neighbours" else both.movedim(-1, -2).flatten(-2)
        return torch.cat((both, x[..., dim:]), -1).to(k.dtype)

    real = positions >= 0  # the others are padding
    which = torch.arange(batch, device=k.device)[:, None].expand_as(positions)[real]
    at = positions[real]
    if block_table is None:
        page, slot = which, at
    else:
        page, slot = block_table[which, at // cache_k.shape[1]].long(), at % cache_k.shape[1]
    cache_k[page, slot] = turned(k)[real]
    cache_v[page, slot] = v[real]
    return k.new_empty(batch, tokens, 0, head_dim) if q is None else turned(q)
