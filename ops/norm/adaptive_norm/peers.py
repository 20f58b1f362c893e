"""Adaptive layer norm and the gated addition as other libraries say them: rows of `warpath compare adaptive_norm`."""

import numpy
import torch


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def adaptive_norm_torch(x, scale, shift, eps=1e-6):
    normal, mean, rstd = torch.native_layer_norm(x, x.shape[-1:], None, None, eps)
    y = normal * (1 + scale[:, None]) + shift[:, None]
    return y, _wide(mean).squeeze(-1), _wide(rstd).squeeze(-1)


def adaptive_norm_numpy(x, scale, shift, eps=1e-6):
    mean = x.mean(-1, keepdims=True, dtype=numpy.float32)
    rstd = 1 / numpy.sqrt(numpy.square(x - mean).mean(-1, keepdims=True) + numpy.float32(eps))
    y = (x - mean) * rstd * (1 + scale[:, None]) + shift[:, None]
    return y.astype(x.dtype), mean[..., 0], rstd[..., 0]


def adaptive_norm_backward_torch(x, dy, mean, rstd, scale, ds=None):
    normal, dy = (_wide(x) - mean[..., None]) * rstd[..., None], _wide(dy)
    g = dy * (1 + scale[:, None])
    dx = g - g.mean(-1, keepdim=True) - normal * (g * normal).mean(-1, keepdim=True)
    dx = rstd[..., None] * dx
    results = dx if ds is None else dx + ds, (dy * normal).sum(1), dy.sum(1)
    return tuple(r.to(x.dtype) for r in results)


def adaptive_norm_backward_numpy(x, dy, mean, rstd, scale, ds=None):
    normal = (x - mean[..., None]) * rstd[..., None]
    g = dy * (1 + scale[:, None])
    dx = g - g.mean(-1, keepdims=True) - normal * (g * normal).mean(-1, keepdims=True)
    dx = rstd[..., None] * dx
    results = dx if ds is None else dx + ds, (dy * normal).sum(1), dy.sum(1)
    return tuple(r.astype(x.dtype) for r in results)


def gated_add_torch(residual, x, gate):
    return torch.addcmul(residual, gate[:, None], x)


def gated_add_numpy(residual, x, gate):
    return (residual + gate[:, None] * x).astype(x.dtype)


def gated_add_backward_torch(dy, x, gate):
    return gate[:, None] * dy, (_wide(dy) * x).sum(1).to(x.dtype)


def gated_add_backward_numpy(dy, x, gate):
    return (gate[:, None] * dy).astype(x.dtype), (dy * x).sum(1).astype(x.dtype)
