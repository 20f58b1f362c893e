"""Attention to a cache as other libraries say it: rows of `warpath compare attention_decode`.

They have no block table: the pages of a sequence are gathered first. Slots behind its length may hold anything, NaN too, so they
are zeroed: 0 * NaN is NaN.
"""

import math

import numpy
import torch


def _cache(cache, block_table, length):
    """(batch, capacity, kv_heads, dim); `length` sees a table's entries behind the last page as page 0."""
    if block_table is None:
        return cache
    pages = cache[block_table * (length > 0)]
    batch, most, size = pages.shape[:3]
    return pages.reshape(batch, most * size, *pages.shape[3:])


def _seen(library, lengths, capacity, tokens, window, **on):
    """(batch, new_tokens, capacity): whether a token sees a key; and (batch, capacity): whether there is one."""
    j = library.arange(capacity, **on)
    last = lengths[:, None] - tokens + library.arange(tokens, **on)[None, :] + 1
    seen = j < last[..., None]
    if window:
        seen = seen & (j >= last[..., None] - window)
    return seen, j[None, :] < lengths[:, None]


def attention_decode_torch(
    q, k, v, lengths, block_table=None, *, scale=0.0, softcap=0.0, window=0
):  # fmt: skip
    tokens, heads, dim = q.shape[1:]
    wide = torch.promote_types(q.dtype, torch.float32)
    if block_table is not None:
        first = torch.arange(block_table.shape[1], device=q.device) * k.shape[1]
        needed = first[None, :] < lengths[:, None]
        k, v = _cache(k, block_table, needed), _cache(v, block_table, needed)
    seen, there = _seen(torch, lengths, k.shape[1], tokens, window, device=q.device)
    k = torch.where(there[..., None, None], k, 0).to(wide)
    v = torch.where(there[..., None, None], v, 0).to(wide)
    kv_heads = k.shape[2]
    rows = q.to(wide).unflatten(2, (kv_heads, heads // kv_heads))  # (b, t, kv, group, d)
    s = torch.einsum("btngd,bjnd->bngtj", rows, k) * (scale or 1 / math.sqrt(dim))
    if softcap:
        s = softcap * torch.tanh(s / softcap)
    s = s.masked_fill(~seen[:, None, None], -math.inf)
    lse = torch.logsumexp(s, -1)  # (b, kv, group, t)
    p = torch.exp(s - torch.where(lse == -math.inf, 0, lse)[..., None])
    o = torch.einsum("bngtj,bjnd->btngd", p, v).flatten(2, 3)
    return o.to(q.dtype), lse.flatten(1, 2).to(wide)


def attention_decode_numpy(
    q, k, v, lengths, block_table=None, *, scale=0.0, softcap=0.0, window=0
):  # fmt: skip
    batch, tokens, heads, dim = q.shape
    if block_table is not None:
        needed = numpy.arange(block_table.shape[1])[None, :] * k.shape[1] < lengths[:, None]
        k, v = _cache(k, block_table, needed), _cache(v, block_table, needed)
    seen, there = _seen(numpy, lengths, k.shape[1], tokens, window)
    k, v = (numpy.where(there[..., None, None], t, 0).astype(float) for t in (k, v))
    kv_heads = k.shape[2]
    rows = q.astype(float).reshape(batch, tokens, kv_heads, -1, dim)
    s = numpy.einsum("btngd,bjnd->bngtj", rows, k) * (scale or 1 / math.sqrt(dim))
    if softcap:
        s = softcap * numpy.tanh(s / softcap)
    s = numpy.where(seen[:, None, None], s, -math.inf)
    most = s.max(-1, keepdims=True, initial=-math.inf)
    p = numpy.exp(s - numpy.where(most == -math.inf, 0, most))
    total = p.sum(-1, keepdims=True)
    with numpy.errstate(divide="ignore"):
        lse = (most + numpy.log(total))[..., 0]
    p = p / numpy.where(total == 0, 1, total)
    o = numpy.einsum("bngtj,bjnd->btngd", p, v).reshape(q.shape)
    return o.astype(q.dtype), lse.reshape(batch, heads, tokens).astype(numpy.float32)
