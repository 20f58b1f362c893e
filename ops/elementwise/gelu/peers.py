"""GELU and its gradient as other libraries say them: rows of `warpath compare gelu`."""

import numpy
import torch

ROOT = 0.7978845608028654  # of 2 / pi
CUBIC = 0.044715


def gelu_onnx(scalars, given):
    return f'y = Gelu <approximate = "{scalars["approximate"]}"> (x)'


def gelu_torch(x, approximate="none"):
    return torch.nn.functional.gelu(x, approximate=approximate)


def gelu_backward_torch(x, dy, approximate="none"):
    return torch.ops.aten.gelu_backward(dy, x, approximate=approximate)


def _share(x, approximate):
    if approximate == "tanh":
        return 0.5 * (1 + numpy.tanh(ROOT * (x + CUBIC * x * x * x)))
    erf = torch.erf(torch.from_numpy(x) * 0.5**0.5).numpy()  # numpy has none
    return 0.5 * (1 + erf)


def gelu_numpy(x, approximate="none"):
    return (x * _share(x, approximate)).astype(x.dtype)


def gelu_backward_numpy(x, dy, approximate="none"):
    share = _share(x, approximate)
    if approximate == "tanh":
        slope = 2 * share * (1 - share) * ROOT * (1 + 3 * CUBIC * x * x)
    else:
        slope = ROOT / 2 * numpy.exp(-0.5 * x * x)
    return (dy * (share + x * slope)).astype(x.dtype)
