"""Attention and its gradient as other libraries say them: rows of `warpath compare attention`.

On a GPU the row PyTorch is its flash attention, and "PyTorch, cuDNN" is cuDNN's, each for what it can do. What is left, and all of
it on a CPU, is the formula: the scores in memory. There is no dropout here: others draw other masks.
"""

import math

import numpy
import torch
from torch.utils.weak import WeakTensorKeyDictionary

_DEFAULTS = {"scale": 0.0, "causal": False, "window": 0, "softcap": 0.0, "dropout": 0.0}


def _named(named: dict) -> dict:
    named = _DEFAULTS | named
    if named["dropout"]:
        raise NotImplementedError("dropout here draws another mask than ours")
    return named


def _seen(library, queries, keys, causal, window, **on):
    """(queries, keys): the rule of ops/attention/visible.h."""
    ahead = library.arange(keys, **on)[None, :] - library.arange(queries, **on)[:, None]
    ahead = ahead - (keys - queries)
    seen = ahead <= (0 if causal else keys)
    return seen & (abs(ahead) < window) if window else seen


def _parts(q, k, q_offsets, k_offsets):
    """The queries and the keys of each sequence."""
    if q_offsets is None:
        return [(slice(0, q.shape[1]), slice(0, k.shape[1]))]
    q_at, k_at = q_offsets.tolist(), k_offsets.tolist()
    return [(slice(*q_at[b : b + 2]), slice(*k_at[b : b + 2])) for b in range(len(q_at) - 1)]


class _Pairs:
    """The scores of one sequence: (batch, kv_heads, group, queries, keys)."""

    def __init__(self, q, k, named, wide):
        heads, dim = q.shape[2:]
        kv_heads = k.shape[2]
        self.q = q.to(wide).unflatten(2, (kv_heads, heads // kv_heads))  # (b, i, n, g, d)
        self.k = k.to(wide)
        self.scale = named["scale"] or 1 / math.sqrt(dim)
        self.s = torch.einsum("bingd,bjnd->bngij", self.q, self.k) * self.scale
        self.slope = 1
        if named["softcap"]:
            t = torch.tanh(self.s / named["softcap"])
            self.s, self.slope = named["softcap"] * t, 1 - t.square()
        seen = (q.shape[1], k.shape[1], named["causal"], named["window"])
        self.s = self.s.masked_fill(~_seen(torch, *seen, device=q.device), -math.inf)

    def probabilities(self, lse):
        return torch.exp(self.s - torch.where(lse == -math.inf, 0, lse)[..., None])


def _forward(q, k, v, q_offsets, k_offsets, named):
    wide = torch.promote_types(q.dtype, torch.float32)
    o = q.new_zeros(*q.shape[:3], v.shape[3])
    lse = q.new_full((q.shape[0], q.shape[2], q.shape[1]), -math.inf, dtype=wide)
    for i, j in _parts(q, k, q_offsets, k_offsets):
        pairs = _Pairs(q[:, i], k[:, j], named, wide)
        sums = torch.logsumexp(pairs.s, -1)  # (b, n, g, i)
        p = pairs.probabilities(sums)
        o[:, i] = torch.einsum("bngij,bjnc->bingc", p, v[:, j].to(wide)).flatten(2, 3).to(q.dtype)
        lse[:, :, i] = sums.flatten(1, 2)
    return o, lse


def _backward(d_o, q, k, v, o, lse, q_offsets, k_offsets, named):
    wide = torch.promote_types(q.dtype, torch.float32)
    dq, dk, dv = (torch.zeros(t.shape, dtype=wide, device=q.device) for t in (q, k, v))
    for i, j in _parts(q, k, q_offsets, k_offsets):
        pairs = _Pairs(q[:, i], k[:, j], named, wide)
        groups = pairs.q.shape[2:4]
        p = pairs.probabilities(lse[:, :, i].to(wide).unflatten(1, groups))
        slope = d_o[:, i].to(wide).unflatten(2, groups)  # (b, i, n, g, c)
        delta = (slope * o[:, i].to(wide).unflatten(2, groups)).sum(-1)
        dp = torch.einsum("bingc,bjnc->bngij", slope, v[:, j].to(wide))
        ds = p * (dp - delta.permute(0, 2, 3, 1)[..., None]) * pairs.slope * pairs.scale
        dv[:, j] += torch.einsum("bngij,bingc->bjnc", p, slope)
        dk[:, j] += torch.einsum("bngij,bingd->bjnd", ds, pairs.q)
        dq[:, i] = torch.einsum("bngij,bjnd->bingd", ds, pairs.k).flatten(2, 3)
    return tuple(t.to(q.dtype) for t in (dq, dk, dv))


# --- flash attention ------------------------------------------------------------------------------


def _is_flash(q, v, named) -> bool:
    return (
        q.is_cuda
        and q.dtype in (torch.float16, torch.bfloat16)
        and q.shape[3] == v.shape[3] <= 256
        and q.shape[3] % 8 == 0
        and not named["softcap"]
    )


_longest_of = WeakTensorKeyDictionary()  # asked once, not in every timed call


def _longest(offsets) -> int:
    if offsets not in _longest_of:
        _longest_of[offsets] = offsets.diff().max().item()
    return _longest_of[offsets]


def _flash_named(named) -> dict:
    left = named["window"] - 1 if named["window"] else None
    right = 0 if named["causal"] else left
    return {
        "scale": named["scale"] or None,
        "window_size_left": left,
        "window_size_right": right if named["window"] else None,
    }


def _flash_lengths(q, k, q_offsets, k_offsets) -> tuple:
    if q_offsets is None:
        return None, None, q.shape[1], k.shape[1]
    return q_offsets, k_offsets, _longest(q_offsets), _longest(k_offsets)


def _flash(q, k, v, q_offsets, k_offsets, named):
    lengths = _flash_lengths(q, k, q_offsets, k_offsets)
    if q_offsets is not None:
        q, k, v = q[0], k[0], v[0]
    o, lse, *_ = torch.ops.aten._flash_attention_forward(
        *(q, k, v, *lengths, 0.0, named["causal"], False), **_flash_named(named)
    )
    return (o, lse) if q_offsets is None else (o[None], lse[None])


def _flash_backward(d_o, q, k, v, o, lse, q_offsets, k_offsets, named):
    lengths = _flash_lengths(q, k, q_offsets, k_offsets)
    tensors = (d_o, q, k, v, o, lse)
    if q_offsets is not None:
        tensors = [t[0] for t in tensors]
    state = torch.zeros(2, dtype=torch.uint64, device=q.device)
    result = torch.ops.aten._flash_attention_backward(
        *(*tensors, *lengths, 0.0, named["causal"], state, state), **_flash_named(named)
    )
    return result if q_offsets is None else tuple(t[None] for t in result)


def attention_torch(q, k, v, q_offsets=None, k_offsets=None, *, seed=0, offset=0, **named):
    named = _named(named)
    way = _flash if _is_flash(q, v, named) else _forward
    return way(q, k, v, q_offsets, k_offsets, named)


def attention_backward_torch(
    d_o, q, k, v, o, lse, q_offsets=None, k_offsets=None, *, seed=0, offset=0, **named
):
    named = _named(named)
    way = _flash_backward if _is_flash(q, v, named) else _backward
    return way(d_o, q, k, v, o, lse, q_offsets, k_offsets, named)


# --- cuDNN ----------------------------------------------------------------------------------------


def _by_cudnn(q, k, q_offsets, named) -> dict:
    """Its causal mask counts from the first key; ours from the last."""
    if q_offsets is not None or named["window"] or named["softcap"]:
        raise NotImplementedError("torch has no windows, soft caps or packed sequences by cuDNN")
    if named["causal"] and q.shape[1] != k.shape[1]:
        raise NotImplementedError("its causal mask is aligned to the first key")
    return {"scale": named["scale"] or 1 / math.sqrt(q.shape[3])}


def attention_torch_cudnn(q, k, v, q_offsets=None, k_offsets=None, *, seed=0, offset=0, **named):
    named = _named(named)
    more = _by_cudnn(q, k, q_offsets, named)
    heads_first = (t.transpose(1, 2) for t in (q, k, v))
    o, lse, *_ = torch.ops.aten._scaled_dot_product_cudnn_attention(
        *heads_first, None, True, 0.0, named["causal"], **more
    )
    return o.transpose(1, 2), lse.view(q.shape[0], q.shape[2], q.shape[1])


def attention_backward_torch_cudnn(
    d_o, q, k, v, o, lse, q_offsets=None, k_offsets=None, *, seed=0, offset=0, **named
):
    named = _named(named)
    more = _by_cudnn(q, k, q_offsets, named)
    heads_first = (t.transpose(1, 2) for t in (d_o, q, k, v, o))
    state = torch.zeros((), dtype=torch.int64, device=q.device)
    result = torch.ops.aten._scaled_dot_product_cudnn_attention_backward(
        *heads_first, lse.unsqueeze(-1), state, state, None, None, None, q.shape[1], k.shape[1], 0.0,
        named["causal"], **more
    )  # fmt: skip
    return tuple(t.transpose(1, 2) for t in result)


# --- numpy ----------------------------------------------------------------------------------------


def attention_numpy(q, k, v, q_offsets=None, k_offsets=None, *, seed=0, offset=0, **named):
    named = _named(named)
    group = q.shape[2] // k.shape[2]
    o = numpy.zeros((*q.shape[:3], v.shape[3]), q.dtype)
    lse = numpy.full((q.shape[0], q.shape[2], q.shape[1]), -math.inf, numpy.float32)
    scale, cap = named["scale"] or 1 / math.sqrt(q.shape[3]), named["softcap"]
    for i, j in _parts(q, k, q_offsets, k_offsets):
        k_all, v_all = (t[:, j].astype(float).repeat(group, 2) for t in (k, v))
        s = numpy.einsum("bihd,bjhd->bhij", q[:, i].astype(float), k_all) * scale
        s = cap * numpy.tanh(s / cap) if cap else s
        s = numpy.where(_seen(numpy, *s.shape[2:], named["causal"], named["window"]), s, -math.inf)
        most = s.max(-1, keepdims=True, initial=-math.inf)
        p = numpy.exp(s - numpy.where(most == -math.inf, 0, most))
        total = p.sum(-1, keepdims=True)
        with numpy.errstate(divide="ignore"):
            lse[:, :, i] = (most + numpy.log(total))[..., 0]
        o[:, i] = numpy.einsum("bhij,bjhc->bihc", p / numpy.where(total == 0, 1, total), v_all)
    return o, lse
