"""Noise as random numbers: moments, shares of equal bins, no correlation; and one stream whatever makes it."""

import math

import pytest
import torch
import warpath

N = 1 << 16
KINDS = ("normal", "uniform", "bernoulli")


def draw(n: int = N, dtype=torch.float32, **named) -> torch.Tensor:
    return warpath.noise(torch.empty(n, dtype=dtype), **named)


def moments(x: torch.Tensor) -> list[float]:
    return [(x**k).mean().item() for k in (1, 2, 3, 4)]


@pytest.mark.parametrize("seed", [0, 1, -5, 1 << 40])
@pytest.mark.parametrize("kind", KINDS)
def test_moments(kind, seed):
    """The first four, each within five standard deviations of its own mean over N numbers."""
    x = draw(distribution=kind, seed=seed).double()
    order = range(1, 9)
    if kind == "normal":
        right = [math.prod(range(1, k, 2)) if k % 2 == 0 else 0 for k in order]
    else:
        right = [1 / (k + 1) if kind == "uniform" else 0.5 for k in order]
    for k, got in enumerate(moments(x)):
        deviation = math.sqrt((right[2 * k + 1] - right[k] ** 2) / N)
        assert abs(got - right[k]) < 5 * deviation, (kind, k + 1, got)


def chi_square(shares: torch.Tensor, bins: int) -> float:
    """How far the counts of `bins` equally likely bins are from equal, in standard deviations."""
    counts = torch.bincount((shares * bins).long().clamp(0, bins - 1), minlength=bins).double()
    right = shares.numel() / bins
    chi = ((counts - right) ** 2 / right).sum().item()
    return (chi - (bins - 1)) / math.sqrt(2 * (bins - 1))


@pytest.mark.parametrize("seed", [0, 2, 77])
def test_bins(seed):
    assert abs(chi_square(draw(distribution="uniform", seed=seed).double(), 256)) < 5
    normal = draw(seed=seed).double()
    assert abs(chi_square(torch.special.ndtr(normal), 256)) < 5
    # Numbers that are a little off would be noticed.
    assert abs(chi_square(torch.special.ndtr(normal * 1.05), 256)) > 5


def correlation(a: torch.Tensor, b: torch.Tensor) -> float:
    """In standard deviations of what independent numbers have."""
    a, b = a.double() - a.double().mean(), b.double() - b.double().mean()
    return (a @ b / (a.norm() * b.norm())).item() * math.sqrt(a.numel())


@pytest.mark.parametrize("kind", KINDS)
def test_streams(kind):
    """Neighbouring seeds, offsets and elements have nothing to do with each other."""
    plain = draw(distribution=kind, seed=9, offset=4)
    assert torch.equal(plain, draw(distribution=kind, seed=9, offset=4))
    for other in ({"seed": 10}, {"offset": 5}, {"seed": 9 + (1 << 32)}, {"offset": 4 + (1 << 32)}):
        named = {"seed": 9, "offset": 4} | other
        assert abs(correlation(plain, draw(distribution=kind, **named))) < 5, other
    for lag in (1, 2, 3, 4, 256, 1024):
        assert abs(correlation(plain[lag:], plain[:-lag])) < 5, lag
    squares = plain.double() ** 2
    assert abs(correlation(squares[1:], squares[:-1])) < 5  # the two of a pair share a radius


@pytest.mark.parametrize("rung", warpath.rungs("noise"))
@pytest.mark.parametrize("kind", KINDS)
def test_one_stream(kind, rung):
    """Whatever the start, the axes, the rung."""
    named = {"distribution": kind, "seed": 31, "offset": 2}
    wanted = draw(1001, **named)
    for start in (0, 1, 2, 4):
        like = torch.empty(1001 + start)[start:].view(7, 143)
        try:
            got = warpath.noise(like, rung=rung, **named)
        except RuntimeError as refusal:
            assert "multiple of 16 bytes" in str(refusal)
            continue
        torch.testing.assert_close(got.flatten(), wanted, rtol=1e-5, atol=1e-3)
        assert kind == "normal" or torch.equal(got.flatten(), wanted)


def test_edges():
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        x = draw(dtype=dtype, distribution="uniform", seed=5)
        assert x.min() >= 0 and x.max() < 1
    x = torch.ones(1000)
    warpath.noise_(x, seed=5, scale=0.02)
    assert torch.equal(x, draw(1000, seed=5, scale=0.02)) and 0.018 < x.std() < 0.022
    with pytest.raises(RuntimeError, match="p must be between 0 and 1"):
        warpath.noise(x, distribution="bernoulli", p=1.5)
