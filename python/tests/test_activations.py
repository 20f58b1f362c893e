"""The activations: in place, at any alignment, their gradients and their modules."""

import copy

import pytest
import torch
import warpath
import warpath.nn
from torch.nn import functional

PLAIN = {
    "relu": torch.relu,
    "silu": functional.silu,
    "gelu": functional.gelu,
}


@pytest.mark.parametrize("name", PLAIN)
def test_in_place(name):
    function, torchs = getattr(warpath, f"{name}_"), PLAIN[name]
    x = torch.randn(37, 50)
    for room in (x.clone(), x.bfloat16(), torch.zeros(37, 60)[:, 3:53].copy_(x)):
        wanted, strides = torchs(room.clone()), room.stride()
        assert function(room) is room and room.stride() == strides
        torch.testing.assert_close(room, wanted)
    needs = torch.randn(5, requires_grad=True)
    with pytest.raises(RuntimeError, match=f"call warpath.{name}, or this under torch.no_grad"):
        function(needs)
    with torch.no_grad():
        assert function(needs) is needs


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_alignments(name, dtype):
    """x and y start at different distances from a 16-byte boundary; so do x and dy."""
    room = torch.randn(3000).to(dtype)
    for start in range(9):
        x = room[start : start + 2500].requires_grad_()
        y = getattr(warpath, name)(x)
        torch.testing.assert_close(y, PLAIN[name](x))
        dy = room[7 - start % 4 :][:2500]
        (dx,) = torch.autograd.grad(y, x, dy)
        (wanted,) = torch.autograd.grad(PLAIN[name](x), x, dy)
        torch.testing.assert_close(dx, wanted)


@pytest.mark.parametrize("name", PLAIN)
def test_gradient(name):
    function, torchs = getattr(warpath, name), PLAIN[name]
    x = torch.randn(4, 33, requires_grad=True)
    function(x).square().sum().backward()
    ours, x.grad = x.grad, None
    torchs(x).square().sum().backward()
    torch.testing.assert_close(ours, x.grad)


def test_gelu_by_tanh():
    x = torch.randn(1000, requires_grad=True)
    y = warpath.gelu(x, approximate="tanh")
    torch.testing.assert_close(y, functional.gelu(x, approximate="tanh"))
    (dx,) = torch.autograd.grad(y.sum(), x)
    (wanted,) = torch.autograd.grad(functional.gelu(x, approximate="tanh").sum(), x)
    torch.testing.assert_close(dx, wanted)
    with pytest.raises(RuntimeError, match="'approximate' is 'erf'; allowed: 'none', 'tanh'"):
        warpath.gelu(x.detach(), approximate="erf")


def test_modules():
    model = torch.nn.Sequential(
        torch.nn.ReLU(), torch.nn.GELU(), torch.nn.GELU("tanh"), torch.nn.SiLU(inplace=True)
    )
    twin = copy.deepcopy(model)
    assert warpath.patch(model) == [
        "0: torch.nn.ReLU",
        "1: torch.nn.GELU",
        "2: torch.nn.GELU",
        "3: torch.nn.SiLU",
    ]
    assert repr(model) == repr(twin)
    x = torch.randn(6, 40)
    torch.testing.assert_close(model(x), twin(x))
    wants = [x.clone().requires_grad_() for _ in range(2)]
    model(wants[0]).sum().backward()
    twin(wants[1]).sum().backward()
    torch.testing.assert_close(wants[0].grad, wants[1].grad)
    for inplace in (torch.nn.ReLU, torch.nn.SiLU):
        ours = getattr(warpath.nn, inplace.__name__)(inplace=True)
        room = x.clone()
        assert ours(room) is room
        torch.testing.assert_close(room, inplace()(x))


def test_swiglu():
    module = warpath.nn.SwiGLU()
    x = torch.randn(3, 4, 2 * 33, requires_grad=True)
    gate, up = x.chunk(2, -1)
    wanted = functional.silu(gate) * up
    dy = torch.randn_like(wanted)
    (dx,) = torch.autograd.grad(wanted, x, dy)
    for y in (module(x), module(gate, up), warpath.swiglu(gate, up)):
        torch.testing.assert_close(y, wanted)
        torch.testing.assert_close(torch.autograd.grad(y, x, dy, retain_graph=True)[0], dx)
    with pytest.raises(ValueError, match="the last axis has 5 elements"):
        module(torch.zeros(2, 5))
    room = gate.detach().clone()
    assert warpath.swiglu_(room, up.detach()) is room
    torch.testing.assert_close(room, wanted.detach())


@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "silu"])
def test_fused(activation):
    x, residual, bias = torch.randn(5, 6, 33), torch.randn(5, 6, 33), torch.randn(33)
    step = PLAIN | {"none": lambda z: z, "gelu": lambda z: functional.gelu(z, approximate="tanh")}
    wanted = 0.5 * (step[activation](x + bias) + residual)
    named = {"activation": activation, "scale": 0.5}
    torch.testing.assert_close(warpath.fused_elementwise(x, bias, residual, **named), wanted)
    wanted = 0.5 * step[activation](x)
    torch.testing.assert_close(warpath.fused_elementwise(x, **named), wanted)
    assert warpath.fused_elementwise_(x, **named) is x
    torch.testing.assert_close(x, wanted)


def test_matrix_add_takes_strides():
    a, b = torch.randn(40, 30), torch.randn(30, 40)
    torch.testing.assert_close(warpath.matrix_add(a, b.t()), a + b.t())
    torch.testing.assert_close(
        warpath.matrix_add(a[::2, 3:], a[1::2, :-3]), a[::2, 3:] + a[1::2, :-3]
    )
