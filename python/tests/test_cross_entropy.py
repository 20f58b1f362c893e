"""Cross entropy: its gradients, in place, odd addresses, many rows, and the module that stands in for torch's."""

import pytest
import torch
import warpath
import warpath.nn

F = torch.nn.functional


def example(rows=7, words=45, dtype=torch.float32):
    torch.manual_seed(4)
    labels = torch.randint(words, (rows,))
    labels[2] = -100
    return torch.randn(rows, words).to(dtype), labels


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_gradients(reduction, smoothing):
    logits, labels = example()
    x, y = (logits.clone().requires_grad_() for _ in range(2))
    loss, lse, total = warpath.cross_entropy(
        x, labels, reduction=reduction, label_smoothing=smoothing
    )
    wanted = F.cross_entropy(y, labels, reduction="none", label_smoothing=smoothing)
    whole = F.cross_entropy(
        y, labels, reduction="sum" if reduction == "none" else reduction, label_smoothing=smoothing
    )
    torch.testing.assert_close(loss, wanted)
    torch.testing.assert_close(total[0], whole)
    torch.testing.assert_close(lse, torch.logsumexp(y, -1))
    weights = torch.randn(3, 7)
    for losses, lses, totals, at in (
        (loss, lse, total[0], x),
        (wanted, torch.logsumexp(y, -1), whole, y),
    ):
        (losses @ weights[0] + lses.square() @ weights[1] + 3 * totals).backward()
        assert at.grad is not None
    torch.testing.assert_close(x.grad, y.grad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_in_place(dtype):
    logits, labels = example(5, 1003, dtype)
    made = warpath.cross_entropy_gradient(logits, labels, grad_scale=4.0)
    room = logits.clone()
    loss, lse, total, dlogits = warpath.cross_entropy_gradient_(room, labels, grad_scale=4.0)
    assert dlogits is room
    for a, b in zip(made, (loss, lse, total, dlogits), strict=True):
        assert torch.equal(a, b)
    x = logits.float().requires_grad_()
    (4 * F.cross_entropy(x, labels)).backward()
    torch.testing.assert_close(room.float(), x.grad, rtol=1e-2, atol=1e-6)


def test_sums_over_many_rows():
    """More rows than one block adds up."""
    logits, labels = torch.randn(8200, 2), torch.randint(2, (8200,), dtype=torch.int32)
    labels[::3] = -100
    loss, _, total = warpath.cross_entropy(logits, labels, rung="01_naive")
    torch.testing.assert_close(total[0], F.cross_entropy(logits, labels.long()))
    assert (loss[::3] == 0).all()


def test_labels_that_are_no_words():
    logits, labels = example()
    labels[3], labels[4] = 45, -1
    loss, _, total = warpath.cross_entropy(logits, labels)
    assert loss.isnan().nonzero().flatten().tolist() == [3, 4] and total.isnan()
    with pytest.raises(RuntimeError, match="'labels' is f32; allowed: i64, i32"):
        warpath.cross_entropy(logits, labels.float())


@pytest.mark.parametrize("shape", [(6, 11), (3, 11, 4), (2, 11, 3, 2), (11,)])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_module(shape, reduction):
    torch.manual_seed(5)
    named = {"ignore_index": 2, "reduction": reduction, "label_smoothing": 0.1}
    ours, theirs = warpath.nn.CrossEntropyLoss(**named), torch.nn.CrossEntropyLoss(**named)
    labels = torch.randint(11, shape[:1] + shape[2:] if len(shape) > 1 else ())
    x, y = (torch.randn(shape) for _ in range(2))
    y = x.clone().requires_grad_()
    x.requires_grad_()
    got, wanted = ours(x, labels), theirs(y, labels)
    torch.testing.assert_close(got, wanted)
    dy = torch.randn_like(got)
    got.backward(dy)
    wanted.backward(dy)
    torch.testing.assert_close(x.grad, y.grad)


def test_module_passes_on():
    logits, labels = torch.randn(5, 4), torch.randint(4, (5,))
    weight = torch.rand(4)
    model = torch.nn.CrossEntropyLoss(weight)
    wanted = model(logits, labels)
    torch.testing.assert_close(warpath.nn.CrossEntropyLoss(weight)(logits, labels), wanted)
    assert warpath.nn.CrossEntropyLoss(weight).state_dict().keys() == {"weight"}
    assert warpath.patch(model) == ["the model: torch.nn.CrossEntropyLoss"]
    torch.testing.assert_close(model(logits, labels), wanted)
    soft = torch.softmax(torch.randn(5, 4), -1)
    torch.testing.assert_close(
        warpath.nn.CrossEntropyLoss()(logits, soft), F.cross_entropy(logits, soft)
    )
