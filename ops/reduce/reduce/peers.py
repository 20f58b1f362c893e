"""Sums and maxima of rows as other libraries say them: rows of `warpath compare reduce`."""

import torch


def reduce_torch(x, kind="sum"):
    if kind == "max":
        return x.amax(-1)
    return x.sum(-1, dtype=x.dtype) if x.dtype == torch.int32 else x.sum(-1)


def reduce_numpy(x, kind="sum"):
    return x.max(-1) if kind == "max" else x.sum(-1, dtype=x.dtype)


def reduce_onnx(scalars, given):
    name = "ReduceMax" if scalars["kind"] == "max" else "ReduceSum"
    return f"axes = Constant <value_ints = [-1]> () y = {name} <keepdims = 0> (x, axes)"
