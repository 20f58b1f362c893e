"""Dot products of rows as other libraries say them: rows of `warpath compare dot`."""

import numpy
import torch


def dot_torch(x, y):
    if x.numel() == x.shape[-1]:  # one row
        return torch.dot(x.flatten(), y.flatten()).view(x.shape[:-1])
    return torch.linalg.vecdot(x, y)


def dot_numpy(x, y):
    return numpy.einsum("...i,...i->...", x, y)


def dot_onnx(scalars, given):
    return (
        "axes = Constant <value_ints = [-1]> () "
        "products = Mul (x, y) "
        "z = ReduceSum <keepdims = 0> (products, axes)"
    )
