"""Rope: against Hugging Face's formulas, its module, in place, and its gradients."""

import math

import pytest
import torch
import warpath
from warpath import nn

LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def frequencies(dim, base, scaling=None):
    """As transformers' modeling_rope_utils has them, in float64."""
    f = 1 / base ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    if scaling is None:
        return f
    low = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
    high = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
    wavelength = 2 * math.pi / f
    slow = torch.where(wavelength > low, f / scaling["factor"], f)
    smooth = scaling["original_max_position_embeddings"] / wavelength - scaling["low_freq_factor"]
    smooth = smooth / (scaling["high_freq_factor"] - scaling["low_freq_factor"])
    between = (1 - smooth) * slow / scaling["factor"] + smooth * slow
    return torch.where((wavelength >= high) & (wavelength <= low), between, slow)


def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), -1)


def answer(x, positions, f):
    """As transformers' apply_rotary_pos_emb."""
    angle = positions.double()[..., None, None] * f
    angle = torch.cat((angle, angle), -1)
    return x.double() * angle.cos() + rotate_half(x.double()) * angle.sin()


@pytest.mark.parametrize("scaling", [None, LLAMA3])
def test_module(scaling):
    torch.manual_seed(1)
    q, k = torch.randn(2, 6, 4, 32), torch.randn(2, 6, 2, 32)
    module = nn.RotaryEmbedding(32, base=500000.0, scaling=scaling)
    f = frequencies(32, 500000.0, scaling)
    positions = torch.randint(0, 131072, (1, 6))  # one row for the whole batch
    for at, given in ((torch.arange(6), None), (positions, positions)):
        q_out, k_out = module(q, k, given)
        torch.testing.assert_close(q_out.double(), answer(q, at, f), rtol=0, atol=4e-6)
        torch.testing.assert_close(k_out.double(), answer(k, at, f), rtol=0, atol=4e-6)
    assert torch.equal(module(q), module(q, k)[0])
    assert not module.state_dict() and "32, base=500000" in repr(module)


def test_refusals():
    with pytest.raises(ValueError, match="rope_type is 'yarn'"):
        nn.RotaryEmbedding(32, scaling={"rope_type": "yarn", "factor": 2.0})
    with pytest.raises(ValueError, match="needs 'low_freq_factor'"):
        nn.RotaryEmbedding(32, scaling={"rope_type": "llama3", "factor": 2.0})
    for bad in (3, 10):
        with pytest.raises(RuntimeError, match="rotary_dim must be even and no more than dim"):
            warpath.rope(torch.randn(1, 1, 8), rotary_dim=bad)


def test_neighbours():
    """Halves of a permuted head."""
    q = torch.randn(5, 3, 16)
    order = torch.arange(16).view(8, 2).t().flatten()
    wanted, _ = warpath.rope(q[..., order])
    assert torch.equal(warpath.rope(q, pairs="neighbours")[0][..., order], wanted)


@pytest.mark.parametrize("rung", warpath.rungs("rope"))
def test_only_the_distance_counts(rung):
    """What rope is for: the product of q at m and k at n depends on m - n, far out as well."""
    q, k = torch.randn(1, 1, 64), torch.randn(1, 1, 64)

    def product(m, n):
        at_m = warpath.rope(q, None, torch.tensor([m]), rung=rung)[0]
        at_n = warpath.rope(k, None, torch.tensor([n]), rung=rung)[0]
        return (at_m * at_n).sum().item()

    for start in (1000, 100_000, 3_000_000, -50):
        assert abs(product(17, 5) - product(start + 17, start + 5)) < 1e-4


def test_in_place():
    q, k = torch.randn(2, 5, 4, 16), torch.randn(2, 5, 1, 16)
    wanted = warpath.rope(q, k)
    got = warpath.rope_(q, k)
    assert got[0] is q and got[1] is k
    assert torch.equal(q, wanted[0]) and torch.equal(k, wanted[1])
    alone = warpath.rope_(q)
    assert alone[0] is q and alone[1] is None


@pytest.mark.parametrize("pairs", ["halves", "neighbours"])
def test_gradients(pairs):
    q = torch.randn(2, 4, 3, 24, requires_grad=True)
    k = torch.randn(2, 4, 1, 24, requires_grad=True)
    named = {"pairs": pairs, "rotary_dim": 16}
    for positions in (None, torch.randint(0, 1000, (2, 4))):
        q_out, k_out = warpath.rope(q, k, positions, **named)
        got = torch.autograd.grad((q_out.sin() * 2).sum() + k_out.square().sum(), (q, k))
        # Orthogonal: the gradient of a sum of squares is the vector itself, twice.
        torch.testing.assert_close(got[1], 2 * k, rtol=1e-5, atol=1e-5)
        slope = (2 * q_out.cos()).detach()
        back = warpath.rope_backward(slope, None, positions, **named)[0]
        assert torch.equal(got[0], back)
        shifted = warpath.rope(q.detach() + 1e-3 * back, k, positions, **named)[0]
        moved = ((shifted.sin() * 2).sum() - (q_out.sin() * 2).sum()).item()
        assert abs(moved / 1e-3 / back.square().sum().item() - 1) < 0.05
    q_out, k_out = warpath.rope(q)
    assert k_out.shape == (2, 4, 0, 24)
    q_out.sum().backward()
    assert q.grad is not None


def test_compiled():
    module = nn.RotaryEmbedding(16)
    q, k = torch.randn(2, 3, 4, 16), torch.randn(2, 3, 2, 16)
    compiled = torch.compile(module, fullgraph=True, backend="aot_eager")
    for got, wanted in zip(compiled(q, k), module(q, k), strict=True):
        assert torch.equal(got, wanted)
