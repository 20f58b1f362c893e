"""Layer normalisation and its gradient as other libraries say them: rows of `warpath compare layer_norm`."""

import numpy
import torch


def layer_norm_torch(x, weight=None, bias=None, eps=1e-5):
    y, mean, rstd = torch.native_layer_norm(x, x.shape[-1:], weight, bias, eps)
    return y, mean.squeeze(-1).float(), rstd.squeeze(-1).float()


def layer_norm_numpy(x, weight=None, bias=None, eps=1e-5):
    mean = x.mean(-1, keepdims=True, dtype=numpy.float32)
    rstd = 1 / numpy.sqrt(numpy.square(x - mean).mean(-1, keepdims=True) + numpy.float32(eps))
    y = (x - mean) * rstd
    y = y if weight is None else y * weight
    y = y if bias is None else y + bias
    return y.astype(x.dtype), mean[..., 0], rstd[..., 0]


def layer_norm_onnx(scalars, given):
    made = "n = Shape <start = -1> (x) one = ConstantOfShape <value = float[1] {1}> (n) "
    made += "weight = CastLike (one, x) "
    inputs = "x, weight, bias" if "bias" in given else "x, weight"
    return f"""
        {"" if "weight" in given else made}
        axes = Constant <value_ints = [-1]> ()
        y, m, r = LayerNormalization <axis = -1, epsilon = {scalars["eps"]!r}> ({inputs})
        mean = Squeeze (m, axes)
        rstd = Squeeze (r, axes)
    """


def layer_norm_backward_torch(x, dy, mean, rstd, weight=None):
    scale = x.new_ones(x.shape[-1]) if weight is None else weight
    return torch.ops.aten.native_layer_norm_backward(
        *(dy, x, x.shape[-1:], mean.unsqueeze(-1), rstd.unsqueeze(-1), scale, scale),
        [True, True, True],
    )


def layer_norm_backward_numpy(x, dy, mean, rstd, weight=None):
    normal = (x - mean[..., None]) * rstd[..., None]
    g = dy if weight is None else dy * weight
    relative = g - g.mean(-1, keepdims=True) - normal * (g * normal).mean(-1, keepdims=True)
    rows = tuple(range(x.ndim - 1))
    results = rstd[..., None] * relative, (dy * normal).sum(rows), dy.sum(rows)
    return tuple(r.astype(x.dtype) for r in results)
