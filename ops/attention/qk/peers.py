"""The scores of attention as other libraries say them: rows of `warpath compare qk`."""

import math

import numpy
import torch


def qk_onnx(scalars, given):
    """Queries of a group on an axis of their own for the einsum; ONNX has no other word for grouped heads."""
    lines = [
        "same = Constant <value_ints = [0]> ()",
        "rest = Constant <value_ints = [-1]> ()",
        "queries = Shape <start = 1, end = 2> (q)",
        "keys = Shape <start = 1, end = 2> (k)",
        "kv_and_dim = Shape <start = 2, end = 4> (k)",
        "kv, dim = Split <num_outputs = 2> (kv_and_dim)",
        "grouped = Concat <axis = 0> (same, same, kv, rest, dim)",
        "packed = Reshape (q, grouped)",
        'dots = Einsum <equation = "bqngd,bknd->bngqk"> (packed, k)',
        "flat = Concat <axis = 0> (same, rest, queries, keys)",
        "products = Reshape (dots, flat)",
    ]
    if scalars["scale"] != 0:
        lines.append(f"factor = Constant <value_float = {float(scalars['scale'])!r}> ()")
        lines.append("scaled = Mul (products, factor)")
    else:
        lines += [
            "size = Cast <to = 1> (dim)",
            "root = Sqrt (size)",
            "scaled = Div (products, root)",
        ]
    if scalars["causal"]:
        lines += [
            "square = Concat <axis = 0> (queries, keys)",
            "one = Constant <value_ints = [1]> ()",
            "ones = Expand (one, square)",
            "shift = Sub (keys, queries)",
            "axes = Constant <value_ints = [0]> ()",
            "diagonal = Squeeze (shift, axes)",
            "lower = Trilu <upper = 0> (ones, diagonal)",
            "seen = Cast <to = 9> (lower)",
            "nothing = Constant <value_float = 0.0> ()",
            "masked = Log (nothing)",  # -inf
            "scores = Where (seen, scaled, masked)",
        ]
    else:
        lines.append("scores = Identity (scaled)")
    return "\n".join(lines)


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
