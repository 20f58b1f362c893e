"""SiLU and its gradient as other libraries say them: rows of `warpath compare silu`."""

import numpy
import torch

silu_onnx = """
    s = Sigmoid (x)
    y = Mul (x, s)
"""


def silu_torch(x):
    return torch.nn.functional.silu(x)


def silu_numpy(x):
    return x / (1 + numpy.exp(-x))


def silu_backward_torch(x, dy):
    return torch.ops.aten.silu_backward(dy, x)


def silu_backward_numpy(x, dy):
    s = 1 / (1 + numpy.exp(-x))
    return dy * (s * (1 + x * (1 - s)))
