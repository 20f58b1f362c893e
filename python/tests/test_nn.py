"""Modules that stand in for torch's."""

import copy

import pytest
import torch
import warpath
import warpath.nn


@pytest.mark.parametrize("dim", [-1, 0, 1, 2])
def test_softmax(dim):
    x = torch.randn(3, 4, 5)
    torch.testing.assert_close(warpath.nn.Softmax(dim)(x), torch.softmax(x, dim))


class Derived(torch.nn.Softmax):
    pass


def test_patch():
    model = torch.nn.Sequential(
        torch.nn.Linear(6, 8),
        torch.nn.Softmax(dim=-1),
        torch.nn.ModuleDict({"head": torch.nn.Softmax(dim=0)})["head"],
        Derived(dim=-1),
    )
    twin = copy.deepcopy(model)
    assert warpath.patch(model) == [
        "0: torch.nn.Linear",
        "1: torch.nn.Softmax",
        "2: torch.nn.Softmax",
    ]
    assert [type(m) for m in model[1:]] == [warpath.nn.Softmax, warpath.nn.Softmax, Derived]
    assert model.state_dict().keys() == twin.state_dict().keys()
    x = torch.randn(5, 6)
    torch.testing.assert_close(model(x), twin(x))
    model(x)[:, 0].sum().backward()
    twin(x)[:, 0].sum().backward()
    torch.testing.assert_close(model[0].weight.grad, twin[0].weight.grad)
    assert warpath.patch(model) == []
    assert warpath.patch(torch.nn.Softmax(-1)) == ["the model: torch.nn.Softmax"]
