"""ReLU and its gradient as other libraries say them: rows of `warpath compare relu`."""

import numpy
import torch

relu_onnx = "y = Relu (x)"


def relu_torch(x):
    return torch.relu(x)


def relu_numpy(x):
    return numpy.maximum(x, numpy.zeros((), x.dtype))


def relu_backward_torch(x, dy):
    return torch.ops.aten.threshold_backward(dy, x, 0)


def relu_backward_numpy(x, dy):
    return numpy.where(x <= 0, numpy.zeros((), dy.dtype), dy)
