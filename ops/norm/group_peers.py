"""What batch_norm, instance_norm and group_norm share in torch, NumPy and ONNX."""

import numpy
import torch

ACTIVATIONS = {"none": lambda z: z, "relu": torch.relu, "silu": torch.nn.functional.silu}


def channels_last(x: torch.Tensor) -> bool:
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return (
        x.dim() in formats
        and not x.is_contiguous()
        and x.is_contiguous(memory_format=formats[x.dim()])
    )


def affine_numpy(x, z, weight, bias, activation):
    """What comes after the normalisation, in the type of x."""
    z = z if weight is None else z * weight[..., None]
    z = z if bias is None else z + bias[..., None]
    y = ACTIVATIONS[activation](torch.from_numpy(z.astype(numpy.float32))).numpy()
    return y.astype(x.dtype)


def affine_onnx(scalars, given, z):
    """The same as nodes that end with y; `last` is an axis."""
    body = ""
    if "weight" in given:
        body += f"w1 = Cast <to = 1> (weight) w = Unsqueeze (w1, last) z1 = Mul ({z}, w) "
        z = "z1"
    if "bias" in given:
        body += f"b1 = Cast <to = 1> (bias) b = Unsqueeze (b1, last) z2 = Add ({z}, b) "
        z = "z2"
    if scalars["activation"] == "relu":
        body, z = body + f"z3 = Relu ({z}) ", "z3"
    if scalars["activation"] == "silu":
        body, z = body + f"s = Sigmoid ({z}) z3 = Mul ({z}, s) ", "z3"
    return body + f"y = CastLike ({z}, x)"


def norm_numpy(x, weight, bias, eps, activation, axes):
    """Over those axes of (batch, outer, groups, …): y, mean and rstd."""
    mean = x.mean(axes, keepdims=True, dtype=numpy.float32)
    rstd = 1 / numpy.sqrt(numpy.square(x - mean).mean(axes, keepdims=True) + numpy.float32(eps))
    y = affine_numpy(x, (x - mean) * rstd, weight, bias, activation)
    shape = (x.shape[0], x.shape[2])
    return y, mean.reshape(shape), rstd.reshape(shape)


def norm_onnx(scalars, given, axes):
    body = f"""
        axes = Constant <value_ints = {list(axes)}> ()
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
    return body + affine_onnx(scalars, given, "z0")


def backward_torch(x, dy, center, scale, weight, bias, activation, axes, rest):
    """The formula in f32, which torch.compile fuses. center and scale are shaped as x; axes: of a mean; rest: all but
    those of the parameters. dx in the type of x, dweight and dbias as they were summed."""
    wide = torch.promote_types(x.dtype, torch.float32)
    center, scale = center.to(wide), scale.to(wide)
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
    dot = (g * normal).mean(axes, keepdim=True)
    dx = scale * (g - g.mean(axes, keepdim=True) - normal * dot)
    return dx.to(x.dtype), (dz * normal).sum(rest), dz.sum(rest)


def by_torch(function, *arrays, **named):
    """A function of torch tensors on NumPy's arrays."""
    tensors = (a if a is None else torch.from_numpy(a) for a in arrays)
    return tuple(t.numpy() for t in function(*tensors, **named))
