"""Group normalisation and its gradient as other libraries say them: rows of `warpath compare group_norm`."""

import torch
from warpath._folders import family

_shared = family(__file__, "group_peers")
_AXES = (1, 3, 4)


def _images(x):
    """(batch, channels, outer, inner): contiguous for NCHW, channels_last for NHWC."""
    batch, outer, groups, channels, inner = x.shape
    return x.view(batch, outer, groups * channels, inner).transpose(1, 2)


def group_norm_torch(x, weight=None, bias=None, eps=1e-5, activation="none"):
    batch, outer, groups, channels, inner = x.shape
    images = _images(x)
    flat = (t if t is None else t.flatten() for t in (weight, bias))
    sizes = (batch, groups * channels, outer * inner, groups)
    y, mean, rstd = torch.native_group_norm(images.contiguous(), *flat, *sizes, eps)
    y = _shared.ACTIVATIONS[activation](y).transpose(1, 2).reshape(x.shape)
    return y, mean.float(), rstd.float()


def group_norm_numpy(x, weight=None, bias=None, eps=1e-5, activation="none"):
    return _shared.norm_numpy(x, weight, bias, eps, activation, _AXES)


def group_norm_onnx(scalars, given):
    return _shared.norm_onnx(scalars, given, _AXES)


def group_norm_backward_torch(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    center, scale = (t[:, None, :, None, None] for t in (mean, rstd))
    dx, *sums = _shared.backward_torch(
        *(x, dy, center, scale, weight, bias, activation, _AXES, (0, 1, 4))
    )
    return dx, *(t.to(x.dtype) for t in sums)


def group_norm_backward_numpy(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    arrays = (x, dy, mean, rstd, weight, bias)
    return _shared.by_torch(group_norm_backward_torch, *arrays, activation=activation)
