"""RMS normalisation and its gradient as other libraries say them: rows of `warpath compare rms_norm`."""

import numpy
import torch


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def rms_norm_torch(x, weight=None, eps=1e-6):
    if x.is_cuda:  # a single kernel there
        y, rstd = torch.ops.aten._fused_rms_norm(x, x.shape[-1:], weight, eps)
        return y, rstd.squeeze(-1)
    wide = _wide(x)
    rstd = torch.rsqrt(wide.square().mean(-1) + eps)
    y = wide * rstd[..., None] if weight is None else wide * rstd[..., None] * weight
    return y.to(x.dtype), rstd.float()


def rms_norm_numpy(x, weight=None, eps=1e-6):
    squares = numpy.square(x, dtype=numpy.float32)
    rstd = 1 / numpy.sqrt(squares.mean(-1, keepdims=True) + numpy.float32(eps))
    y = x * rstd if weight is None else x * rstd * weight
    return y.astype(x.dtype), rstd[..., 0]


def rms_norm_onnx(scalars, given):
    body = f"""
        axes = Constant <value_ints = [-1]> ()
        eps = Constant <value_float = {scalars["eps"]!r}> ()
        wide = Cast <to = 1> (x)
        squares = Mul (wide, wide)
        mean = ReduceMean <keepdims = 1> (squares, axes)
        sum = Add (mean, eps)
        root = Sqrt (sum)
        inverse = Reciprocal (root)
        rstd = Squeeze (inverse, axes)
        normal = Mul (wide, inverse)
    """
    if "weight" not in given:
        return body + "y = CastLike (normal, x)"
    return body + "w = Cast <to = 1> (weight) scaled = Mul (normal, w) y = CastLike (scaled, x)"


def rms_norm_backward_torch(x, dy, rstd, weight=None):
    if x.is_cuda:
        scale = x.new_ones(x.shape[-1]) if weight is None else weight
        dx, dweight = torch.ops.aten._fused_rms_norm_backward(
            dy, x, x.shape[-1:], rstd.unsqueeze(-1), scale, [True, True]
        )
        return dx, dweight
    normal, dy = _wide(x) * rstd[..., None], _wide(dy)
    g = dy if weight is None else dy * weight
    dx = rstd[..., None] * (g - normal * (g * normal).mean(-1, keepdim=True))
    return dx.to(x.dtype), (dy * normal).flatten(0, -2).sum(0).to(x.dtype)


def rms_norm_backward_numpy(x, dy, rstd, weight=None):
    normal = x * rstd[..., None]
    g = dy if weight is None else dy * weight
    dx = rstd[..., None] * (g - normal * (g * normal).mean(-1, keepdims=True))
    return dx.astype(x.dtype), (dy * normal).sum(tuple(range(x.ndim - 1))).astype(x.dtype)
