"""Colour to grey as PyTorch and NumPy say it: rows of `warpath compare grayscale`."""

import numpy
import torch


def _torch(r, g, b):
    if r.dtype == torch.uint8:
        r, g, b = r.int(), g.int(), b.int()
        return ((19595 * r + 38470 * g + 7471 * b + 32768) >> 16).to(torch.uint8)
    wide = torch.promote_types(r.dtype, torch.float32)
    return (0.299 * r.to(wide) + 0.587 * g.to(wide) + 0.114 * b.to(wide)).to(r.dtype)


def grayscale_torch(x):
    return _torch(x[..., 0], x[..., 1], x[..., 2])


def grayscale_planes_torch(x):
    return _torch(x[:, 0], x[:, 1], x[:, 2])


def _numpy(r, g, b):
    if r.dtype == numpy.uint8:
        r, g, b = (c.astype(numpy.int32) for c in (r, g, b))
        return ((19595 * r + 38470 * g + 7471 * b + 32768) >> 16).astype(numpy.uint8)
    r32, g32, b32 = (c.astype(numpy.float32) for c in (r, g, b))
    weights = (numpy.float32(w) for w in (0.299, 0.587, 0.114))
    return sum(w * c for w, c in zip(weights, (r32, g32, b32), strict=True)).astype(r.dtype)


def grayscale_numpy(x):
    return _numpy(x[..., 0], x[..., 1], x[..., 2])


def grayscale_planes_numpy(x):
    return _numpy(x[:, 0], x[:, 1], x[:, 2])
