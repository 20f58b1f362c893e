"""The head and its loss: gradients, rungs beside torch, and the module."""

import pytest
import torch
import warpath
import warpath.nn

F = torch.nn.functional


def example(dtype=torch.float32, rows=(3, 12), words=50, width=24):
    torch.manual_seed(6)
    hidden = torch.randn(*rows, width).to(dtype)
    weight = (torch.randn(words, width) * 0.3).to(dtype)
    labels = torch.randint(words, rows)
    labels[0, 3] = -100
    return hidden, weight, labels


@pytest.mark.parametrize("rung", warpath.rungs("linear_cross_entropy"))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rungs(rung, dtype):
    hidden, weight, labels = example(dtype)
    if dtype == torch.float32 and rung != "01_simple":
        with pytest.raises(RuntimeError, match="multiplies f16 and bf16 only"):
            warpath.linear_cross_entropy(hidden, weight, labels, rung=rung)
        return
    h, w = (t.double().requires_grad_() for t in (hidden, weight))
    wanted = F.cross_entropy((h @ w.t()).reshape(-1, 50), labels.reshape(-1))
    wanted.backward()
    loss, total, dhidden, dweight = warpath.linear_cross_entropy(hidden, weight, labels, rung=rung)
    rtol = 1e-5 if dtype == torch.float32 else 0.05
    torch.testing.assert_close(total[0].double(), wanted, rtol=rtol, atol=0)
    assert loss.shape == labels.shape and loss[0, 3] == 0
    for got, right in ((dhidden, h.grad), (dweight, w.grad)):
        error = (got.double() - right).norm() / right.norm()
        assert error < (1e-5 if dtype == torch.float32 else 0.02)


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_module(reduction):
    hidden, weight, labels = example()
    named = {"reduction": reduction, "label_smoothing": 0.1, "ignore_index": 7}
    labels[labels == -100] = 7
    module = warpath.nn.LinearCrossEntropyLoss(**named)
    ours, theirs = ([t.clone().requires_grad_() for t in (hidden, weight)] for _ in range(2))
    got = module(*ours, labels)
    wanted = F.cross_entropy(
        (theirs[0] @ theirs[1].t()).reshape(-1, 50), labels.reshape(-1), **named
    )
    torch.testing.assert_close(got, wanted)
    (3 * got).backward()
    (3 * wanted).backward()
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-6)
    with torch.no_grad():
        torch.testing.assert_close(module(*ours, labels), wanted.detach())
    assert "label_smoothing=0.1" in repr(module)


def test_only_total_has_a_gradient():
    hidden, weight, labels = example()
    hidden.requires_grad_()
    loss, total, dhidden, dweight = warpath.linear_cross_entropy(hidden, weight, labels)
    assert total.requires_grad
    assert not any(t.requires_grad for t in (loss, dhidden, dweight))
    with pytest.raises(NotImplementedError, match="reduction 'none' is not supported"):
        warpath.nn.LinearCrossEntropyLoss(reduction="none")
