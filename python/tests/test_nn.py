"""Modules that stand in for torch's."""

import copy
import pickle

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
    patched = warpath.patch(model)
    assert patched == ["0: torch.nn.Linear", "1: torch.nn.Softmax", "2: torch.nn.Softmax"]
    assert patched.left == ["3: test_nn.Derived"]
    assert [type(m) for m in model[1:]] == [warpath.nn.Softmax, warpath.nn.Softmax, Derived]
    assert model.state_dict().keys() == twin.state_dict().keys()
    x = torch.randn(5, 6)
    torch.testing.assert_close(model(x), twin(x))
    model(x)[:, 0].sum().backward()
    twin(x)[:, 0].sum().backward()
    torch.testing.assert_close(model[0].weight.grad, twin[0].weight.grad)
    again = warpath.patch(model)
    assert again == [] and again.left == ["3: test_nn.Derived"]
    assert warpath.patch(torch.nn.Softmax(-1)) == ["the model: torch.nn.Softmax"]


def test_collected():
    """From the folders of the ops: listed, importable by name, and as pickle finds them."""
    assert {"Linear", "Softmax", "patch"} <= set(dir(warpath.nn))
    from warpath.nn import Linear

    model = torch.nn.Sequential(Linear(4, 3), warpath.nn.Softmax(-1))
    again = pickle.loads(pickle.dumps(model))
    x = torch.randn(2, 4)
    assert type(again[0]) is Linear and torch.equal(again(x), model(x))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = warpath.nn.Nothing


def test_patch_leaves_float64():
    """Kernels have no float64: such a layer stays torch's, and so do layers without a type in such a model."""
    model = torch.nn.Sequential(
        torch.nn.Linear(4, 4), torch.nn.ReLU(), torch.nn.Linear(4, 4).double()
    )
    patched = warpath.patch(model[:2].double())
    assert patched == []
    assert patched.left == ["0: torch.nn.Linear (float64)", "1: torch.nn.ReLU (float64)"]
    mixed = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4).double())
    patched = warpath.patch(mixed)
    assert patched == ["0: torch.nn.Linear"] and type(mixed[1]) is torch.nn.Linear
