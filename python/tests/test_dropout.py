"""Dropout: one mask whatever computes it, gradients by the same mask, and the module."""

import pytest
import torch
import warpath
from warpath import nn

NAMED = {"p": 0.3, "seed": 0x123456789ABCDEF, "offset": 7}


def mask(n: int, **named) -> torch.Tensor:
    return warpath.dropout(torch.ones(n), **named) != 0


@pytest.mark.parametrize("rung", warpath.rungs("dropout"))
def test_one_mask(rung):
    """Of a slice that starts anywhere, of other axes, of another type, by every rung."""
    wanted = mask(1001, **NAMED)
    assert wanted.any() and not wanted.all()
    for dtype in (torch.float32, torch.bfloat16):
        for start in (0, 1, 2, 4):
            x = torch.ones(1001 + start, dtype=dtype)[start:]
            try:
                y = warpath.dropout(x.view(7, 143), rung=rung, **NAMED)
            except RuntimeError as refusal:
                assert "multiples of 16 bytes" in str(refusal)
                continue
            assert torch.equal(y.flatten() != 0, wanted)


def test_every_bit_counts():
    plain = mask(4096, **NAMED)
    assert torch.equal(plain, mask(4096, **NAMED))
    for name in ("seed", "offset"):
        for bit in (0, 31, 32, 62):
            other = mask(4096, **NAMED | {name: NAMED[name] ^ (1 << bit)})
            both = (plain & other).float().mean().item()  # independent: 0.7 * 0.7
            assert abs(both - 0.49) < 0.04, (name, bit)


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_share(p):
    n = 100_000
    share = 1 - mask(n, p=p, seed=3).float().mean().item()
    assert abs(share - p) <= 5 * (p * (1 - p) / n) ** 0.5


def test_edges():
    x = torch.tensor([1.0, float("nan"), float("inf"), -2.0])
    assert torch.equal(warpath.dropout(x, p=1.0), torch.zeros(4))
    torch.testing.assert_close(warpath.dropout(x, p=0.0), x, equal_nan=True)
    for p in (-0.1, 1.5, float("nan")):
        with pytest.raises(RuntimeError, match="p must be between 0 and 1"):
            warpath.dropout(x, p=p)


def test_gradients():
    x, residual = torch.randn(50, requires_grad=True), torch.randn(50, requires_grad=True)
    y = warpath.dropout(x, residual, **NAMED)
    weight = torch.randn(50)
    (y * weight).sum().backward()
    kept = mask(50, **NAMED)
    torch.testing.assert_close(y, residual + torch.where(kept, x / 0.7, 0.0))
    torch.testing.assert_close(x.grad, torch.where(kept, weight / 0.7, 0.0))
    torch.testing.assert_close(residual.grad, weight)
    only = torch.func.grad(lambda r: (warpath.dropout(x, r, **NAMED) * weight).sum())(residual)
    torch.testing.assert_close(only, weight)


def test_module():
    model = torch.nn.Sequential(torch.nn.Dropout(0.25), torch.nn.Dropout(0.5, inplace=True))
    assert warpath.patch(model) == ["0: torch.nn.Dropout", "1: torch.nn.Dropout"]
    assert isinstance(model[0], nn.Dropout) and "p=0.25" in repr(model[0])
    x = torch.ones(8, 1000, requires_grad=True)
    torch.manual_seed(5)
    first, second = model(x), model(x)
    torch.manual_seed(5)
    assert torch.equal(model(x), first) and not torch.equal(first, second)
    assert set(first.unique().tolist()) == {0.0, torch.tensor(8 / 3).item()}
    first.sum().backward()
    assert torch.equal(x.grad, first.detach())
    assert model.eval()(x) is x
    y = torch.ones(100)
    assert nn.Dropout(0.5, inplace=True)(y) is y and (y == 0).any()


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_compiled(backend):
    """One graph that draws a seed at every call, the numbers that are drawn without it, one mask for both passes."""
    module = nn.Dropout(0.5)

    def loss(x):
        return module(x * 2) + 1

    compiled = torch.compile(loss, backend=backend, fullgraph=True)
    x = torch.ones(1000, requires_grad=True)
    results = []
    for function in (loss, compiled):
        torch.manual_seed(1)
        first, second = function(x), function(x)
        assert not torch.equal(first, second)
        results.append((first, second, *torch.autograd.grad(second.sum(), x)))
    assert all(map(torch.equal, *results))
    assert torch.equal(results[1][2] != 0, results[1][1] > 1)
    torch._dynamo.reset()


def test_drawn_op():
    """The op of compiled graphs: its seed is a tensor, and it is the same op."""
    drawn = torch.ops.warpath.dropout_drawn.default
    x, residual = torch.randn(2, 50, requires_grad=True).unbind()
    seed = torch.tensor(NAMED["seed"])
    more = {"p": NAMED["p"], "offset": NAMED["offset"]}
    assert torch.equal(drawn(seed, x, residual, **more), warpath.dropout(x, residual, **NAMED))
    x, residual = torch.randn(50, requires_grad=True), torch.randn(50)
    torch.library.opcheck(drawn, (seed, x, residual), more)
    with torch.autocast("cpu", torch.bfloat16):
        assert drawn(seed, x.bfloat16(), residual, **more).dtype == torch.float32
