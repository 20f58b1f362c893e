"""Softmax and its gradient as other libraries say them: rows of `warpath compare softmax`."""

import numpy
import torch

softmax_onnx = "y = Softmax <axis = -1> (x)"
softmax_backward_onnx = """
    axes = Constant <value_ints = [-1]> ()
    weighted = Mul (y, dy)
    dot = ReduceSum <keepdims = 1> (weighted, axes)
    relative = Sub (dy, dot)
    dx = Mul (y, relative)
"""


def softmax_torch(x):
    return torch.softmax(x, -1)


def softmax_numpy(x):
    power = numpy.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def softmax_backward_torch(y, dy):
    return torch._softmax_backward_data(dy, y, -1, y.dtype)


def softmax_backward_numpy(y, dy):
    return y * (dy - (y * dy).sum(-1, keepdims=True))
