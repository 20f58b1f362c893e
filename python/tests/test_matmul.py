"""matmul: the type of its result, batches that lie anyhow, and its gradients."""

import pytest
import torch
import warpath
from warpath import nn

KINDS = ["none", "relu", "gelu", "silu"]


def answer(a, b, c=None, bias=None, *, alpha=1.0, beta=1.0, activation="none"):
    z = alpha * (a @ b)
    if c is not None:
        z = z + beta * c
    if bias is not None:
        z = z + bias
    if activation == "gelu":
        return torch.nn.functional.gelu(z, approximate="tanh")
    return {"none": lambda x: x, "relu": torch.relu, "silu": torch.nn.functional.silu}[activation](
        z
    )


def test_dtype_of_the_result():
    a, b = torch.randn(5, 8).bfloat16(), torch.randn(8, 16).bfloat16()
    assert warpath.matmul(a, b).dtype == torch.bfloat16
    assert warpath.matmul(a, b, d_dtype="f32").dtype == torch.float32
    assert warpath.matmul(a, b, torch.zeros(5, 16)).dtype == torch.float32  # c tells it
    with pytest.raises(RuntimeError, match="argument 'd_dtype' is 'f8'; allowed: f32, f16, bf16"):
        warpath.matmul(a, b, d_dtype="f8")
    with pytest.raises(RuntimeError, match="argument 'c' is f32 but 'd' is bf16"):
        warpath.matmul(a, b, torch.zeros(5, 16), d_dtype="bf16")
    with pytest.raises(RuntimeError, match="it must be f32 or bf16"):
        warpath.matmul(a, b, d_dtype="f16")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_batches_that_lie_anyhow(dtype):
    a = torch.randn(4, 3, 10, 24).to(dtype)
    b = torch.randn(24, 16).to(dtype)
    inner = a[:, :1].expand(4, 3, 10, 24)  # no single stride leads through its two batch axes
    for x in (a, a.transpose(0, 1), a[::2, 1:], a[:, :, ::3], a.mT.contiguous().mT, inner):
        y = b.expand(*x.shape[:-2], 24, 16)
        got = warpath.matmul(x, y)
        wanted = x.double() @ b.double()
        eps = torch.finfo(dtype).eps
        torch.testing.assert_close(got.double(), wanted, rtol=eps, atol=4e-6 * 24)


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind):
    torch.manual_seed(2)
    shapes = {"a": (2, 7, 12), "b": (2, 12, 9), "c": (2, 7, 9), "bias": (9,)}
    tensors = [torch.randn(s, requires_grad=True) for s in shapes.values()]
    doubles = [t.detach().double().requires_grad_() for t in tensors]
    named = {"alpha": 0.5, "beta": -1.5, "activation": kind}
    weight = torch.randn(2, 7, 9)
    (warpath.matmul(*tensors, **named) * weight).sum().backward()
    (answer(*doubles, **named) * weight.double()).sum().backward()
    for ours, wanted in zip(tensors, doubles, strict=True):
        torch.testing.assert_close(ours.grad.double(), wanted.grad, rtol=1e-4, atol=1e-4)


def test_only_what_is_wanted():
    a, b = torch.randn(4, 8), torch.randn(8, 8, requires_grad=True)
    warpath.matmul(a, b).sum().backward()
    torch.testing.assert_close(b.grad, a.t().sum(1, keepdim=True).expand(8, 8))
    assert a.grad is None


def test_transforms():
    a, b = torch.randn(4, 8), torch.randn(8, 8)

    def loss(x, w):
        return warpath.matmul(x, w, activation="silu").square().sum()

    def plain(x, w):
        return answer(x, w, activation="silu").square().sum()

    for ours, wanted in zip(
        torch.func.grad(loss, (0, 1))(a, b), torch.func.grad(plain, (0, 1))(a, b), strict=True
    ):
        torch.testing.assert_close(ours, wanted, rtol=1e-4, atol=1e-4)


def test_linear():
    torch.manual_seed(3)
    model = torch.nn.Sequential(torch.nn.Linear(16, 24), torch.nn.ReLU(), torch.nn.Linear(24, 8))
    x = torch.randn(2, 5, 16)
    wanted = model(x)
    wanted.sum().backward()
    gradients = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    swapped = warpath.patch(model)
    assert [line for line in swapped if "Linear" in line] == [
        "0: torch.nn.Linear",
        "2: torch.nn.Linear",
    ]
    assert isinstance(model[0], nn.Linear)
    got = model(x)
    got.sum().backward()
    torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-5)
    for p, g in zip(model.parameters(), gradients, strict=True):
        torch.testing.assert_close(p.grad, g, rtol=1e-4, atol=1e-4)
