"""matvec as other libraries say it: rows of `warpath compare matvec`."""

import torch


def matvec_torch(x, w, bias=None, *, w_is_constant=False):
    return torch.nn.functional.linear(x, w, bias)


def matvec_numpy(x, w, bias=None, *, w_is_constant=False):
    y = x @ w.T
    return y if bias is None else y + bias


def matvec_onnx(scalars, given):
    product = "turned = Transpose <perm = [1, 0]> (w) z = MatMul (x, turned) "
    return product + ("y = Add (z, bias)" if "bias" in given else "y = Identity (z)")
