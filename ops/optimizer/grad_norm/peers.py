"""The norm of many tensors as one, as other libraries say it: rows of `warpath compare grad_norm`."""

import numpy
import torch


def grad_norm_torch(g, *, max_norm=1.0):
    """As torch.nn.utils.clip_grad_norm_ has it: the norm of each tensor, then the norm of these."""
    given = [t for t in g if t.numel()]
    if not given:
        zero = torch.zeros(1, device=g[0].device if g else "cpu")
        return zero, torch.ones_like(zero)
    norms = torch._foreach_norm([t.float() for t in given], 2.0)
    norm = torch.linalg.vector_norm(torch.stack(norms)).reshape(1)
    return norm, (max_norm / (norm + 1e-6)).clamp(max=1.0)


def grad_norm_numpy(g, *, max_norm=1.0):
    total = sum(numpy.square(t, dtype=numpy.float32).sum(dtype=numpy.float32) for t in g)
    norm = numpy.sqrt(numpy.float32(total)).reshape(1)
    return norm, numpy.minimum(max_norm / (norm + numpy.float32(1e-6)), numpy.float32(1))
