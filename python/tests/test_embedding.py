"""Embedding: its gradients, its positions, and the module that stands in for torch's."""

import pytest
import torch
import warpath
import warpath.nn


def tables(vocabulary=30, context=12, width=40):
    torch.manual_seed(3)
    return (
        torch.randn(vocabulary, width, requires_grad=True),
        torch.randn(context, width, requires_grad=True),
    )


@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_gradients_of_both_tables(given, dtype):
    table, places = tables()
    ids = torch.randint(30, (4, 3, 9), dtype=dtype)
    positions = torch.randint(12, (4, 3, 9), dtype=dtype) if given else None
    y = warpath.embedding(table, ids, places, positions, padding_idx=5)
    at = torch.arange(9) if positions is None else positions
    wanted = torch.nn.functional.embedding(ids, table, padding_idx=5) + places[at]
    torch.testing.assert_close(y, wanted)
    dy = torch.randn_like(y)
    torch.testing.assert_close(
        torch.autograd.grad(y, (table, places), dy),
        torch.autograd.grad(wanted, (table, places), dy),
    )


def test_gradient_of_one_table():
    table, places = tables()
    ids = torch.randint(30, (2, 9))
    (dplaces,) = torch.autograd.grad(
        warpath.embedding(table.detach(), ids, places).sum(), (places,)
    )
    assert torch.equal(dplaces, 2.0 * (torch.arange(12) < 9)[:, None].expand(12, 40))
    gradient = torch.func.grad(lambda t: warpath.embedding(t, ids).square().sum())(table.detach())
    torch.testing.assert_close(gradient, torch.bincount(ids.flatten(), minlength=30)[:, None] * 2 * table.detach())  # fmt: skip


def test_refusals():
    table, places = tables()
    ids = torch.randint(30, (2, 9))
    with pytest.raises(RuntimeError, match="'positions' needs a 'position_table'"):
        warpath.embedding(table, ids, None, ids)
    with pytest.raises(RuntimeError, match="longer than the 'position_table'"):
        warpath.embedding(table, ids.repeat(1, 2), places)
    with pytest.raises(RuntimeError, match="'ids' is f32; allowed: i64, i32"):
        warpath.embedding(table, ids.float())


def test_module():
    torch.manual_seed(1)
    ours = warpath.nn.Embedding(30, 24, padding_idx=-2)
    theirs = torch.nn.Embedding(30, 24, padding_idx=-2)
    theirs.load_state_dict(ours.state_dict())
    for ids in (torch.randint(30, (5, 7)), torch.tensor(28), torch.randint(30, (3,))):
        torch.testing.assert_close(ours(ids), theirs(ids))
        weights = torch.randn_like(ours(ids))
        gradients = [
            torch.autograd.grad((m(ids) * weights).sum(), m.weight)[0] for m in (ours, theirs)
        ]
        torch.testing.assert_close(*gradients)
    made = warpath.nn.Embedding.from_pretrained(torch.randn(4, 6))
    assert type(made) is warpath.nn.Embedding and not made.weight.requires_grad


@pytest.mark.parametrize("name", ["max_norm", "scale_grad_by_freq", "sparse"])
def test_unsupported(name):
    with pytest.raises(NotImplementedError, match=f"warpath.nn.Embedding: {name} is not supported"):
        warpath.nn.Embedding(4, 4, **{name: True})
    model = torch.nn.Embedding(4, 4, **{name: True})  # one that patch takes over still works
    ids = torch.tensor([1, 1, 3])
    wanted = model(ids)
    assert warpath.patch(model) == ["the model: torch.nn.Embedding"]
    torch.testing.assert_close(model(ids), wanted)
