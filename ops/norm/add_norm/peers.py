"""The residual addition and the normalisation behind it as other libraries say them: rows of `warpath compare add_norm`."""

import numpy
import torch


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def add_norm_torch(x, residual, weight=None, bias=None, kind="layer", eps=1e-5):
    s = x + residual
    if kind == "layer":
        y, mean, rstd = torch.native_layer_norm(s, s.shape[-1:], weight, bias, eps)
        return y, s, _wide(mean).squeeze(-1), _wide(rstd).squeeze(-1)
    rstd = torch.rsqrt(_wide(s).square().mean(-1) + eps)
    y = _wide(s) * rstd[..., None]
    y = y if weight is None else y * weight
    y = y if bias is None else y + bias
    return y.to(x.dtype), s, torch.zeros_like(rstd), rstd


def add_norm_numpy(x, residual, weight=None, bias=None, kind="layer", eps=1e-5):
    s = x + residual
    mean = s.mean(-1, keepdims=True, dtype=numpy.float32) * numpy.float32(kind == "layer")
    rstd = 1 / numpy.sqrt(numpy.square(s - mean).mean(-1, keepdims=True) + numpy.float32(eps))
    y = (s - mean) * rstd
    y = y if weight is None else y * weight
    y = y if bias is None else y + bias
    return y.astype(x.dtype), s, mean[..., 0], rstd[..., 0]


def add_norm_backward_torch(s, dy, mean, rstd, ds=None, weight=None, kind="layer"):
    normal = _wide(s) - mean[..., None] if kind == "layer" else _wide(s)
    normal, dy = normal * rstd[..., None], _wide(dy)
    g = dy if weight is None else dy * weight
    dx = g - normal * (g * normal).mean(-1, keepdim=True)
    dx = rstd[..., None] * (dx - g.mean(-1, keepdim=True) if kind == "layer" else dx)
    results = (
        dx if ds is None else dx + ds,
        (dy * normal).flatten(0, -2).sum(0),
        dy.flatten(0, -2).sum(0),
    )
    return tuple(r.to(s.dtype) for r in results)


def add_norm_backward_numpy(s, dy, mean, rstd, ds=None, weight=None, kind="layer"):
    normal = (s - mean[..., None] if kind == "layer" else s) * rstd[..., None]
    g = dy if weight is None else dy * weight
    dx = g - normal * (g * normal).mean(-1, keepdims=True)
    dx = rstd[..., None] * (dx - g.mean(-1, keepdims=True) if kind == "layer" else dx)
    rows = tuple(range(s.ndim - 1))
    results = dx if ds is None else dx + ds, (dy * normal).sum(rows), dy.sum(rows)
    return tuple(r.astype(s.dtype) for r in results)
