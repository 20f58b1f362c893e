"""Norms of rows as other libraries say them: rows of `warpath compare norm`."""

import numpy
import torch


def _order(kind, p):
    return {"two": 2.0, "one": 1.0, "infinity": float("inf"), "power": p}[kind]


def norm_torch(x, kind="two", p=3.0):
    if x.shape[-1] == 0:
        return x.new_zeros(x.shape[:-1])
    return torch.linalg.vector_norm(x, _order(kind, p), -1)


def norm_numpy(x, kind="two", p=3.0):
    if x.shape[-1] == 0:
        return numpy.zeros(x.shape[:-1], x.dtype)
    return numpy.linalg.norm(x.astype(numpy.float32), _order(kind, p), -1).astype(x.dtype)


def norm_onnx(scalars, given):
    axes = "axes = Constant <value_ints = [-1]> ()"
    if scalars["kind"] == "power":
        return (
            f"{axes} a = Abs (x) e = Constant <value_float = {scalars['p']}> () p = CastLike (e, x) "
            "t = Pow (a, p) s = ReduceSum <keepdims = 0> (t, axes) q = Reciprocal (p) y = Pow (s, q)"
        )
    if scalars["kind"] == "infinity":
        return f"{axes} a = Abs (x) y = ReduceMax <keepdims = 0> (a, axes)"
    name = "ReduceL1" if scalars["kind"] == "one" else "ReduceL2"
    return f"{axes} y = {name} <keepdims = 0> (x, axes)"
