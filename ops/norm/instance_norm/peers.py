"""Instance normalisation and its gradient as other libraries say them: rows of `warpath compare instance_norm`."""

import numpy
import torch

_ACTIVATIONS = {"none": lambda z: z, "relu": torch.relu, "silu": torch.nn.functional.silu}
_AXES = (1, 3)


def instance_norm_torch(x, weight=None, bias=None, eps=1e-5, activation="none"):
    """As torch.nn.functional.instance_norm does it: a batch norm of one image with batch * channels of them."""
    batch, outer, channels, inner = x.shape
    images = x.transpose(1, 2).reshape(1, batch * channels, outer, inner)
    repeated = (t if t is None else t.repeat(batch) for t in (weight, bias))
    y, mean, rstd = torch.native_batch_norm(images, *repeated, None, None, True, 0.0, eps)
    y = _ACTIVATIONS[activation](y).view(batch, channels, outer, inner).transpose(1, 2)
    shape = (batch, channels)
    return y.reshape(x.shape), mean.float().view(shape), rstd.float().view(shape)


def instance_norm_numpy(x, weight=None, bias=None, eps=1e-5, activation="none"):
    mean = x.mean(_AXES, keepdims=True, dtype=numpy.float32)
    rstd = 1 / numpy.sqrt(numpy.square(x - mean).mean(_AXES, keepdims=True) + numpy.float32(eps))
    z = (x - mean) * rstd
    z = z if weight is None else z * weight[..., None]
    z = z if bias is None else z + bias[..., None]
    y = _ACTIVATIONS[activation](torch.from_numpy(z.astype(numpy.float32))).numpy()
    shape = (x.shape[0], x.shape[2])
    return y.astype(x.dtype), mean.reshape(shape), rstd.reshape(shape)


def instance_norm_onnx(scalars, given):
    body = f"""
        axes = Constant <value_ints = [1, 3]> ()
        last = Constant <value_ints = [-1]> ()
        eps = Constant <value_float = {scalars["eps"]!r}> ()
        wide = Cast <to = 1> (x)
        center = ReduceMean <keepdims = 1> (wide, axes)
        distance = Sub (wide, center)
        squares = Mul (distance, distance)
        variance = ReduceMean <keepdims = 1> (squares, axes)
        sum = Add (variance, eps)
        root = Sqrt (sum)
        inverse = Reciprocal (root)
        mean = Squeeze (center, axes)
        rstd = Squeeze (inverse, axes)
        z0 = Mul (distance, inverse)
    """
    z = "z0"
    if "weight" in given:
        body += "w1 = Cast <to = 1> (weight) w = Unsqueeze (w1, last) z1 = Mul (z0, w) "
        z = "z1"
    if "bias" in given:
        body += f"b1 = Cast <to = 1> (bias) b = Unsqueeze (b1, last) z2 = Add ({z}, b) "
        z = "z2"
    if scalars["activation"] == "relu":
        body, z = body + f"z3 = Relu ({z}) ", "z3"
    if scalars["activation"] == "silu":
        body, z = body + f"s = Sigmoid ({z}) z3 = Mul ({z}, s) ", "z3"
    return body + f"y = CastLike ({z}, x)"


def instance_norm_backward_torch(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    """The formula in f32, which torch.compile fuses."""
    wide = torch.promote_types(x.dtype, torch.float32)
    center, scale = (t[:, None, :, None].to(wide) for t in (mean, rstd))
    w = 1 if weight is None else weight[..., None].to(wide)
    b = 0 if bias is None else bias[..., None].to(wide)
    normal, dz = (x.to(wide) - center) * scale, dy.to(wide)
    z = normal * w + b
    if activation == "relu":
        dz = torch.where(z <= 0, 0, dz)
    if activation == "silu":
        s = torch.sigmoid(z)
        dz = dz * (s * (1 + z * (1 - s)))
    g = dz * w
    dot = (g * normal).mean(_AXES, keepdim=True)
    dx = scale * (g - g.mean(_AXES, keepdim=True) - normal * dot)
    rest = (0, 1, 3)
    return dx.to(x.dtype), (dz * normal).sum(rest).to(x.dtype), dz.sum(rest).to(x.dtype)


def instance_norm_backward_numpy(x, dy, mean, rstd, weight=None, bias=None, activation="none"):
    tensors = (t if t is None else torch.from_numpy(t) for t in (x, dy, mean, rstd, weight, bias))
    return tuple(t.numpy() for t in instance_norm_backward_torch(*tensors, activation=activation))
