"""scale * (activation(x + bias) + residual) as other libraries say it: rows of `warpath compare fused_elementwise`."""

import numpy
import torch
from torch.nn import functional

_ACTIVATIONS = {
    "none": lambda z: z,
    "relu": torch.relu,
    "gelu": lambda z: functional.gelu(z, approximate="tanh"),
    "silu": functional.silu,
}


def fused_elementwise_torch(x, bias=None, residual=None, *, activation="none", scale=1.0):
    # In float, as the contract says: torch would round each step. torch.compile makes one kernel of it.
    wide = x.double() if x.dtype == torch.float64 else x.float()
    z = wide if bias is None else wide + bias
    z = _ACTIVATIONS[activation](z)
    z = z if residual is None else z + residual
    return (scale * z).to(x.dtype)


def fused_elementwise_numpy(x, bias=None, residual=None, *, activation="none", scale=1.0):
    z = x.astype(numpy.float32)
    z = z if bias is None else z + bias
    z = _ACTIVATIONS[activation](torch.from_numpy(z)).numpy()
    z = z if residual is None else z + residual
    return (numpy.float32(scale) * z).astype(x.dtype)
