"""Instance normalisation and its gradient as other libraries say them: rows of `warpath compare instance_norm`."""

import torch
from warpath._folders import family

_shared = family(__file__, "group_peers")
_AXES = (1, 3)


def instance_norm_torch(x, weight=None, bias=None, eps=1e-5, activation="none"):
    """As torch.nn.functional.instance_norm does it: a batch norm of one image with batch * channels of them."""
    batch, outer, channels, inner = x.shape
    images = x.transpose(1, 2).reshape(1, batch * channels, outer, inner)
    repeated = (t if t is None else t.repeat(batch) for t in (weight, bias))
    y, mean, rstd = torch.native_batch_norm(images, *repeated, None, None, True, 0.0, eps)
    y = _shared.ACTIVATIONS[activation](y).view(batch, channels, outer, inner).transpose(1, 2)
    shape = (batch, channels)
    return y.reshape(x.shape), mean.float().view(shape), rstd.float().view(shape)


def instance_norm_numpy(x, weight=None, bias=None, eps=1e-5, activation="none"):
    return _shared.norm_numpy(x, weight, bias, eps, activation, _AXES)


def instance_norm_onnx(scalars, given):
    return _shared.norm_onnx(scalars, given, _AXES)


def instance_norm_backward_torch(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    center, scale = (t[:, None, :, None] for t in (mean, rstd))
    dx, *sums = _shared.backward_torch(
        *(x, dy, center, scale, weight, bias, activation, _AXES, (0, 1, 3))
    )
    return dx, *(t.to(x.dtype) for t in sums)


def instance_norm_backward_numpy(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    arrays = (x, dy, mean, rstd, weight, bias)
    return _shared.by_torch(instance_norm_backward_torch, *arrays, activation=activation)
