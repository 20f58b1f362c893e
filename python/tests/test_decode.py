"""Decoding: cache_write and attention_decode, token by token, give what attention over the whole sequence gives."""

import math

import pytest
import torch
import warpath

HEADS, KV_HEADS, DIM, PAGE = 6, 2, 32, 8


def whole(q, k, v):
    """Rope and causal attention of whole sequences, in float64."""
    q, k = (t.double() for t in warpath.rope(q, k))
    k, v = (t.repeat_interleave(HEADS // KV_HEADS, 2) for t in (k, v.double()))
    s = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(DIM)
    s = s.masked_fill(~torch.ones(s.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), v)


def sequences(batch, tokens, dtype):
    torch.manual_seed(5)
    shapes = ((batch, tokens, heads, DIM) for heads in (HEADS, KV_HEADS, KV_HEADS))
    return [torch.randn(shape).to(dtype) for shape in shapes]


@pytest.mark.parametrize("rung", [None, *warpath.rungs("attention_decode")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_token_by_token(dtype, rung):
    batch, prompt, tokens = 2, 9, 14
    q, k, v = sequences(batch, tokens, dtype)
    wanted = whole(q, k, v)
    table = torch.randperm(batch * 2, dtype=torch.int32).reshape(batch, 2)
    cache = [torch.full((batch * 2, PAGE, KV_HEADS, DIM), math.nan, dtype=dtype) for _ in "kv"]
    lengths = torch.zeros(batch, dtype=torch.int32)
    # The prompt, a token, then three at once.
    for begin, end in ((0, prompt), (prompt, prompt + 1), (prompt + 1, prompt + 4)):
        lengths += end - begin
        new = slice(begin, end)
        turned = warpath.cache_write(k[:, new], v[:, new], *cache, lengths, table, q[:, new])
        try:
            o, lse = warpath.attention_decode(turned, *cache, lengths, table, rung=rung)
        except RuntimeError as refusal:
            assert rung and "cannot take this call" in str(refusal)
            pytest.skip(str(refusal))
        atol = 1e-5 if dtype == torch.float32 else 2e-2
        torch.testing.assert_close(o.double(), wanted[:, new], rtol=0, atol=atol)
        assert lse.shape == (batch, HEADS, end - begin) and lse.isfinite().all()


def test_joining_by_lse():
    """Two halves of a cache, joined by their lse, are the whole."""
    q, k, v = sequences(2, 20, torch.float32)
    q, full = q[:, -1:], torch.tensor([20, 20], dtype=torch.int32)
    half = torch.tensor([10, 10], dtype=torch.int32)
    o, lse = warpath.attention_decode(q, k, v, full)
    parts = [
        warpath.attention_decode(q, k[:, n], v[:, n], half) for n in (slice(10), slice(10, 20))
    ]
    joint = torch.logaddexp(*(part_lse for _, part_lse in parts))
    sums = sum(part * (part_lse - joint).exp().mT[..., None] for part, part_lse in parts)
    torch.testing.assert_close(joint, lse)
    torch.testing.assert_close(sums, o, rtol=0, atol=2e-6)


def test_refusals():
    q, k, v = sequences(2, 4, torch.float32)
    lengths = torch.tensor([4, 4], dtype=torch.int32)
    with pytest.raises(RuntimeError, match="one page per sequence"):
        warpath.attention_decode(q, k[:1], v[:1], lengths)
    with pytest.raises(RuntimeError, match="multiple of kv_heads"):
        warpath.attention_decode(q[:, :, :3], k, v, lengths)
