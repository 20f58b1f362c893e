"""Batch normalisation, in training and in inference, and its gradient as other libraries say them: rows of `warpath compare batch_norm`."""

import numpy
import torch
from warpath._folders import family

_shared = family(__file__, "group_peers")


def _images(x):
    """Four axes as cuDNN and torch know them: NCHW, or channels_last where a channel has single elements."""
    channels, space = x.shape[-2:]
    if space == 1:
        return x.reshape(1, -1, 1, channels).permute(0, 3, 1, 2)
    return x.reshape(-1, channels, space, 1)


def _back(y, x):
    return (y.permute(0, 2, 3, 1) if x.shape[-1] == 1 else y).reshape(x.shape)


def _statistics(x, weight, bias, mean, var):
    """What is left out, made; the running statistics are copies, because torch overwrites them."""
    new = {"dtype": torch.promote_types(x.dtype, torch.float32), "device": x.device}
    channels = x.shape[-2]
    weight = torch.ones(channels, **new) if weight is None else weight
    bias = torch.zeros(channels, **new) if bias is None else bias
    mean = torch.zeros(channels, **new) if mean is None else mean.clone()
    var = torch.ones(channels, **new) if var is None else var.clone()
    return weight, bias, mean, var


def batch_norm_torch(
    x, weight=None, bias=None, running_mean=None, running_var=None, eps=1e-5, momentum=0.1, activation="none"
):  # fmt: skip
    given = _statistics(x, weight, bias, running_mean, running_var)
    y, mean, rstd = torch.native_batch_norm(_images(x), *given, True, momentum, eps)
    return _back(_shared.ACTIVATIONS[activation](y), x), mean.float(), rstd.float(), *given[2:]


def batch_norm_torch_cudnn(
    x, weight=None, bias=None, running_mean=None, running_var=None, eps=1e-5, momentum=0.1, activation="none"
):  # fmt: skip
    given = _statistics(x, weight, bias, running_mean, running_var)
    y, mean, rstd, _ = torch.ops.aten.cudnn_batch_norm(_images(x), *given, True, momentum, eps)
    return _back(_shared.ACTIVATIONS[activation](y), x), mean, rstd, *given[2:]


def batch_norm_numpy(
    x, weight=None, bias=None, running_mean=None, running_var=None, eps=1e-5, momentum=0.1, activation="none"
):  # fmt: skip
    channels, n = x.shape[-2], x.size // x.shape[-2]
    axes = (*range(x.ndim - 2), x.ndim - 1)
    mean = x.mean(axes, dtype=numpy.float32)
    variance = numpy.square(x - mean[:, None]).mean(axes, dtype=numpy.float32)
    rstd = 1 / numpy.sqrt(variance + numpy.float32(eps))
    y = batch_norm_inference_numpy(x, mean, variance, weight, bias, eps, activation)
    old_mean = numpy.zeros(channels, numpy.float32) if running_mean is None else running_mean
    old_var = numpy.ones(channels, numpy.float32) if running_var is None else running_var
    new_mean = (1 - momentum) * old_mean + momentum * mean
    new_var = (1 - momentum) * old_var + momentum * (variance * (n / max(n - 1, 1)))
    return y, mean, rstd, new_mean.astype(numpy.float32), new_var.astype(numpy.float32)


def batch_norm_onnx(scalars, given):
    """Written out: ONNX's own node keeps the biased variance, and momentum of the old statistics."""
    body = f"""
        axes = Constant <value_ints = [0, 2]> ()
        last = Constant <value_ints = [-1]> ()
        eps = Constant <value_float = {scalars["eps"]!r}> ()
        part = Constant <value_float = {scalars["momentum"]!r}> ()
        rest = Constant <value_float = {1 - scalars["momentum"]!r}> ()
        one = Constant <value_float = 1.0> ()
        zero = Constant <value_float = 0.0> ()
        wide = Cast <to = 1> (x)
        center = ReduceMean <keepdims = 1> (wide, axes)
        distance = Sub (wide, center)
        squares = Mul (distance, distance)
        sums = ReduceSum <keepdims = 0> (squares, axes)
        variances = ReduceMean <keepdims = 1> (squares, axes)
        shifted = Add (variances, eps)
        root = Sqrt (shifted)
        inverse = Reciprocal (root)
        mean = Squeeze (center, axes)
        rstd = Squeeze (inverse, axes)
        elements = Size (x)
        channels = Size (mean)
        count = Div (elements, channels)
        n = Cast <to = 1> (count)
        less = Sub (n, one)
        by = Max (less, one)
        variance = Div (sums, by)
        mean_part = Mul (mean, part)
        var_part = Mul (variance, part)
        z0 = Mul (distance, inverse)
    """
    for name, start in (("mean", "zero"), ("var", "one")):
        old = f"running_{name}" if f"running_{name}" in given else start
        body += f"{name}_rest = Mul ({old}, rest) new_{name} = Add ({name}_rest, {name}_part) "
    return body + _shared.affine_onnx(scalars, given, "z0")


def batch_norm_backward_torch(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    if activation == "none":
        w, _, m, v = _statistics(x, weight, bias, mean, rstd)
        dx, dweight, dbias = torch.ops.aten.native_batch_norm_backward(
            *(_images(dy), _images(x), w, m, v, mean, rstd, True, 1e-5, [True, True, True])
        )
        return _back(dx, x), dweight, dbias
    center, scale = (t[:, None] for t in (mean, rstd))
    axes = (*range(x.dim() - 2), -1)
    return _shared.backward_torch(x, dy, center, scale, weight, bias, activation, axes, axes)


def batch_norm_backward_torch_cudnn(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    if activation != "none":
        raise RuntimeError("cuDNN's own function has no activation")
    w, _, m, v = _statistics(x, weight, bias, mean, rstd)
    reserve = torch.empty(0, dtype=torch.uint8, device=x.device)
    dx, dweight, dbias = torch.ops.aten.cudnn_batch_norm_backward(
        *(_images(x), _images(dy), w, m, v, mean, rstd, 1e-5, reserve)
    )
    return _back(dx, x), dweight, dbias


def batch_norm_backward_numpy(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    arrays = (x, dy, mean, rstd, weight, bias)
    return _shared.by_torch(batch_norm_backward_torch, *arrays, activation=activation)


def batch_norm_inference_torch(
    x, running_mean, running_var, weight=None, bias=None, eps=1e-5, activation="none"
):
    weight, bias, *_ = _statistics(x, weight, bias, None, None)
    y = torch.nn.functional.batch_norm(
        _images(x), running_mean, running_var, weight, bias, False, 0.0, eps
    )
    return _back(_shared.ACTIVATIONS[activation](y), x)


def batch_norm_inference_numpy(
    x, running_mean, running_var, weight=None, bias=None, eps=1e-5, activation="none"
):
    z = (x - running_mean[:, None]) / numpy.sqrt(running_var + numpy.float32(eps))[:, None]
    return _shared.affine_numpy(x, z, weight, bias, activation)


def batch_norm_inference_onnx(scalars, given):
    body = f"""
        last = Constant <value_ints = [-1]> ()
        eps = Constant <value_float = {scalars["eps"]!r}> ()
        wide = Cast <to = 1> (x)
        center = Unsqueeze (running_mean, last)
        variance = Unsqueeze (running_var, last)
        shifted = Add (variance, eps)
        root = Sqrt (shifted)
        distance = Sub (wide, center)
        z0 = Div (distance, root)
    """
    return body + _shared.affine_onnx(scalars, given, "z0")
