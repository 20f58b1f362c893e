"""The best of each row as other libraries say it: rows of `warpath compare top_k`.

torch.topk does not say which of equal elements it takes; where that differs from the rule of the contract, the comparison shows
it. In float64, where the tests of the Python ops ask, a stable sort answers.
"""

import numpy
import torch


def top_k_torch(x, *, k=1, side="largest", sorted=True):
    if x.dtype == torch.float64:
        order = torch.sort(x, dim=-1, descending=side == "largest", stable=True)
        values, indices = order.values[..., :k], order.indices[..., :k]
    else:
        values, indices = torch.topk(x, k, largest=side == "largest", sorted=sorted)
    if sorted:
        return values, indices
    indices = indices.sort(-1).values  # the contract's order
    return x.gather(-1, indices), indices


def top_k_numpy(x, *, k=1, side="largest", sorted=True):
    key = numpy.clip(x.astype(numpy.float64), -1e300, 1e300)
    key[numpy.isnan(x)] = 1e301
    order = numpy.argsort(-key if side == "largest" else key, axis=-1, kind="stable")[..., :k]
    if not sorted:
        order = numpy.sort(order, axis=-1)
    return numpy.take_along_axis(x, order, -1), order


def top_k_backward_torch(dy, indices, *, cols=1):
    return dy.new_zeros(*dy.shape[:-1], cols).scatter_(-1, indices, dy)


def top_k_backward_numpy(dy, indices, *, cols=1):
    dx = numpy.zeros((*dy.shape[:-1], cols), dy.dtype)
    numpy.put_along_axis(dx, indices, dy, -1)
    return dx
