"""SwiGLU and its gradient as other libraries say them: rows of `warpath compare swiglu`."""

import numpy
import torch
from torch.nn import functional

swiglu_onnx = """
    s = Sigmoid (gate)
    silu = Mul (gate, s)
    y = Mul (silu, up)
"""


def swiglu_torch(gate, up):
    return functional.silu(gate) * up


def swiglu_numpy(gate, up):
    return gate / (1 + numpy.exp(-gate)) * up


def swiglu_backward_torch(gate, up, dy):
    return torch.ops.aten.silu_backward(dy * up, gate), dy * functional.silu(gate)


def swiglu_backward_numpy(gate, up, dy):
    s = 1 / (1 + numpy.exp(-gate))
    return dy * up * (s * (1 + gate * (1 - s))), dy * (gate * s)


def swiglu_packed_torch(x):
    return swiglu_torch(x[..., 0, :], x[..., 1, :])


def swiglu_packed_numpy(x):
    return swiglu_numpy(x[..., 0, :], x[..., 1, :])


def swiglu_packed_backward_torch(x, dy):
    return torch.stack(swiglu_backward_torch(x[..., 0, :], x[..., 1, :], dy), -2)


def swiglu_packed_backward_numpy(x, dy):
    return numpy.stack(swiglu_backward_numpy(x[..., 0, :], x[..., 1, :], dy), -2)
