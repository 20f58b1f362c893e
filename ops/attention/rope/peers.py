"""Rope as other libraries say it: rows of `warpath compare rope`.

As Hugging Face's apply_rotary_pos_emb, with two differences without which no check would accept it: the angles are
products in float64, not float32, and the arithmetic is done in float whatever the type of q.
"""

import math

import numpy
import torch


def _frequencies(library, dim, pairs_of, base, factor, low, high, original):
    f = base ** (-2.0 * pairs_of / dim)
    if factor != 1:
        turns = original * f / (2 * math.pi)
        smooth = library.clip((turns - low) / (high - low), 0, 1)
        f = f * (smooth + (1 - smooth) / factor)
    return f


def _turned(x, cos, sin, pairs, dim, join):
    """join(a, b): the last axis as it was."""
    a, b = (x[..., : dim // 2], x[..., dim // 2 : dim])
    if pairs == "neighbours":
        a, b = x[..., 0:dim:2], x[..., 1:dim:2]
    return join(a * cos - b * sin, b * cos + a * sin, x[..., dim:])


def _rope_torch(q, k, positions, sign, pairs, rotary_dim, base, **scaling):
    dim = rotary_dim or q.shape[-1]
    i = torch.arange(dim // 2, device=q.device, dtype=torch.float64)
    f = _frequencies(torch, dim, i, base, *scaling.values())
    if positions is None:
        positions = torch.arange(q.shape[-3], device=q.device)
    angle = (positions.double()[..., None] * f)[..., None, :]  # (..., sequence, 1, dim / 2)
    wide = torch.promote_types(q.dtype, torch.float32)
    cos, sin = angle.cos().to(wide), sign * angle.sin().to(wide)

    def join(a, b, rest):
        both = torch.stack((a, b), -1) if pairs == "neighbours" else torch.stack((a, b), -2)
        return torch.cat((both.flatten(-2), rest), -1)

    def turned(x):
        return _turned(x.to(wide), cos, sin, pairs, dim, join).to(x.dtype)

    return turned(q), q.new_empty(*q.shape[:-2], 0, q.shape[-1]) if k is None else turned(k)


def _rope_numpy(q, k, positions, sign, pairs, rotary_dim, base, **scaling):
    dim = rotary_dim or q.shape[-1]
    f = _frequencies(numpy, dim, numpy.arange(dim // 2, dtype=float), base, *scaling.values())
    if positions is None:
        positions = numpy.arange(q.shape[-3])
    angle = (positions[..., None] * f)[..., None, :]
    cos, sin = numpy.cos(angle), sign * numpy.sin(angle)

    def join(a, b, rest):
        both = numpy.stack((a, b), -1 if pairs == "neighbours" else -2)
        return numpy.concatenate((both.reshape(*a.shape[:-1], dim), rest), -1)

    def turned(x):
        return _turned(x.astype(float), cos, sin, pairs, dim, join).astype(x.dtype)

    return turned(q), numpy.empty((*q.shape[:-2], 0, q.shape[-1])) if k is None else turned(k)


_DEFAULTS = {
    "pairs": "halves",
    "rotary_dim": 0,
    "base": 10000.0,
    "factor": 1.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position": 8192,
}


def rope_torch(q, k=None, positions=None, **named):
    return _rope_torch(q, k, positions, 1, **_DEFAULTS | named)


def rope_backward_torch(dq_out, dk_out=None, positions=None, **named):
    return _rope_torch(dq_out, dk_out, positions, -1, **_DEFAULTS | named)


def rope_numpy(q, k=None, positions=None, **named):
    return _rope_numpy(q, k, positions, 1, **_DEFAULTS | named)


def rope_backward_numpy(dq_out, dk_out=None, positions=None, **named):
    return _rope_numpy(dq_out, dk_out, positions, -1, **_DEFAULTS | named)
