"""Places of largest and smallest elements as other libraries say them: rows of `warpath compare argmax`."""

import numpy
import torch


def argmax_torch(x, kind="max"):
    return torch.argmin(x, -1) if kind == "min" else torch.argmax(x, -1)


def argmax_numpy(x, kind="max"):
    return (numpy.argmin if kind == "min" else numpy.argmax)(x, -1)


def argmax_onnx(scalars, given):
    name = "ArgMin" if scalars["kind"] == "min" else "ArgMax"
    return f"y = {name} <axis = -1, keepdims = 0> (x)"
