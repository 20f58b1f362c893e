"""The scores of attention as other libraries say them: rows of `warpath compare qk`."""

import math

import numpy
import torch


def qk_torch(q, k, *, scale=0.0, causal=False):
    """One product for all heads, scaled before it is rounded: einsum would round twice."""
    k = k.repeat_interleave(q.shape[2] // k.shape[2], 2)
    left, right = (t.transpose(1, 2).flatten(0, 1) for t in (q, k))  # (batch * heads, tokens, dim)
    s = left.new_empty(left.shape[0], left.shape[1], right.shape[1])
    s = torch.baddbmm(s, left, right.mT, beta=0, alpha=scale or 1 / math.sqrt(q.shape[3]))
    s = s.unflatten(0, (q.shape[0], q.shape[2]))
    if not causal:
        return s
    seen = torch.ones(s.shape[2:], dtype=torch.bool, device=q.device)
    return s.masked_fill(~seen.tril(k.shape[1] - q.shape[1]), -math.inf)


def qk_numpy(q, k, *, scale=0.0, causal=False):
    k = numpy.repeat(k, q.shape[2] // k.shape[2], 2)
    s = numpy.einsum("bqhd,bkhd->bhqk", q.astype(float), k.astype(float))
    s = s * (scale or 1 / math.sqrt(q.shape[3]))
    if causal:
        seen = numpy.tri(q.shape[1], k.shape[1], k.shape[1] - q.shape[1], dtype=bool)
        s = numpy.where(seen, s, -math.inf)
    return s.astype(q.dtype)
