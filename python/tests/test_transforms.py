"""Autograd, torch.compile, torch.func and autocast."""

import pytest
import torch
import warpath
from torch.fx.experimental.proxy_tensor import make_fx
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode


@pytest.fixture
def x():
    return torch.randn(4, 3, 50, generator=torch.Generator().manual_seed(2))


def wanted_gradient(x, weight):
    x = x.double().detach().requires_grad_()
    (torch.softmax(x, -1) * weight.double()).sum().backward()
    return x.grad.float()


def test_gradient(x):
    weight = torch.randn_like(x)
    x.requires_grad_()
    (warpath.softmax(x, rung="04_online") * weight).sum().backward()
    torch.testing.assert_close(x.grad, wanted_gradient(x, weight), rtol=1e-4, atol=1e-6)


def test_gradient_by_differences(x):
    """The slope along a direction, from two forward passes far enough apart for float32."""
    weight, direction = torch.randn_like(x), torch.randn_like(x)
    x.requires_grad_()
    (warpath.softmax(x) * weight).sum().backward()
    step = 1e-2
    with torch.no_grad():
        ends = [(warpath.softmax(x + s * direction) * weight).double().sum() for s in (step, -step)]
    slope = (ends[0] - ends[1]) / (2 * step)
    torch.testing.assert_close((x.grad * direction).double().sum(), slope, rtol=1e-3, atol=1e-3)


def test_expanded_gradient(x):
    x.requires_grad_()
    warpath.softmax(x).sum().backward()  # the gradient that comes in has stride 0 everywhere
    torch.testing.assert_close(x.grad, torch.zeros_like(x), rtol=0, atol=1e-6)


def test_no_gradient():
    x = torch.randn(4, 5, requires_grad=True)
    with pytest.raises(NotImplementedError, match="there is no op qk_backward"):
        warpath.qk(*[x.view(1, 4, 1, 5)] * 2).sum().backward()
    gradient = torch.autograd.grad(warpath.softmax(x)[0, 0], x, create_graph=True)[0]
    with pytest.raises(NotImplementedError, match="there is no op softmax_backward_backward"):
        gradient.sum().backward()


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(x, backend, dynamic):
    def f(x):
        return warpath.softmax(x * 2, rung="02_shared") + 1

    compiled = torch.compile(f, fullgraph=True, backend=backend, dynamic=dynamic)
    for shape in (x, x[:, :2]):
        leaf = shape.detach().clone().requires_grad_()
        y = compiled(leaf)
        torch.testing.assert_close(y, torch.softmax(shape * 2, -1) + 1)
        y.pow(2).sum().backward()
        twin = shape.detach().clone().requires_grad_()
        f(twin).pow(2).sum().backward()
        torch.testing.assert_close(leaf.grad, twin.grad)
    torch._dynamo.reset()


def test_inductor(x):
    compiled = torch.compile(lambda x: warpath.softmax(x.transpose(0, 1)), fullgraph=True)
    torch.testing.assert_close(compiled(x), torch.softmax(x.transpose(0, 1), -1))


def test_export(x):
    class Model(torch.nn.Module):
        def forward(self, x):
            return warpath.reduce(warpath.softmax(x), kind="max")

    program = torch.export.export(Model(), (x,))
    assert "warpath.softmax" in str(program.graph)
    torch.testing.assert_close(program.module()(x), torch.softmax(x, -1).amax(-1))


def test_vmap(x):
    torch.testing.assert_close(
        torch.vmap(warpath.softmax, 1)(x), torch.softmax(x, -1).movedim(1, 0)
    )
    torch.testing.assert_close(torch.vmap(torch.ops.warpath.softmax)(x), torch.softmax(x, -1))
    largest = torch.vmap(lambda t: torch.ops.warpath.reduce(t, kind="max"))(x)
    torch.testing.assert_close(largest, x.amax(-1))
    sums = torch.vmap(warpath.vector_add, (0, None))(x, x[0])
    torch.testing.assert_close(sums, x + x[0])
    # No leading axes to put a batch in: one call each.
    torch.testing.assert_close(torch.vmap(warpath.transpose, 2)(x), x.permute(2, 1, 0))
    with pytest.raises(ValueError, match="vmap over an axis of no elements"):
        torch.vmap(warpath.transpose)(x[:0])


@pytest.mark.parametrize("softmax", [warpath.softmax, torch.ops.warpath.softmax])
def test_func_grad(x, softmax):
    def loss(row, weight):
        return (softmax(row) * weight).sum()

    weight = torch.randn_like(x)
    wanted = wanted_gradient(x, weight)
    torch.testing.assert_close(torch.func.grad(loss)(x, weight), wanted, rtol=1e-4, atol=1e-6)
    each = torch.vmap(torch.func.grad(loss))(x, weight)
    torch.testing.assert_close(each, wanted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("softmax", [warpath.softmax, torch.ops.warpath.softmax])
def test_forward_mode_is_refused(x, softmax):
    """There is no rule for it, and a tangent that is lost would be a wrong number."""
    with pytest.raises(NotImplementedError, match="warpath::softmax has no forward-mode .*jvp"):
        torch.func.jvp(softmax, (x,), (x,))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)
        with pytest.raises(NotImplementedError, match="jvp"):
            softmax(dual)
        torch.testing.assert_close(softmax(x), torch.softmax(x, -1))


def test_autocast(x):
    low = x.bfloat16()
    with pytest.raises(RuntimeError, match="'b' is bf16 but 'a' is f32"):
        warpath.vector_add(x, low)
    with torch.autocast("cpu", torch.bfloat16):
        both = warpath.vector_add(x, low)
        assert both.dtype == torch.float32
        assert warpath.softmax(low).dtype == torch.bfloat16
        layer = warpath.softmax(torch.nn.functional.linear(x, torch.randn(8, 50)))
        assert layer.dtype == torch.bfloat16
    torch.testing.assert_close(both, x + low.float())


PRODUCTS = {
    "matmul": lambda x: warpath.matmul(x, x.T, bias=x[0, :1].expand(len(x))),
    "matvec": lambda x: warpath.matvec(x, x),
    "attention": lambda x: warpath.attention(*[x.view(1, len(x), 5, 10)] * 3)[0],
    "linear_cross_entropy": lambda x: warpath.linear_cross_entropy(
        x, x, torch.zeros(len(x), dtype=torch.long)
    )[2],
}


@pytest.mark.parametrize("product", PRODUCTS.values(), ids=list(PRODUCTS))
def test_autocast_of_products(product):
    """Computed in autocast's dtype, as torch computes its own; the gradient has the dtype of its tensor."""
    x = torch.randn(6, 50, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16):
        y = product(x)
        assert product(x.double()).dtype == torch.float64
    assert y.dtype == torch.bfloat16
    assert torch.equal(y, product(x.bfloat16()))
    if y.requires_grad:
        y.sum().backward()
        assert x.grad.dtype == torch.float32


def test_autocast_of_told_types():
    """A dtype that the call names stays, and so do the scales of quantised weights."""
    x = torch.randn(6, 50)
    codes, scales = warpath.int8_quantize(x)
    with torch.autocast("cpu", torch.bfloat16):
        assert warpath.matmul(x, x.T, d_dtype="f32").dtype == torch.float32
        c = torch.ones(len(x), len(x))
        assert warpath.matmul(x, x.T, c, d_dtype="f32").dtype == torch.float32
        assert warpath.matmul(x, x.T, c).dtype == torch.bfloat16
        assert warpath.int8_matvec(x, codes, scales).dtype == torch.bfloat16


def test_vmap_of_random_numbers():
    """What is drawn belongs to the call: each row gets what it gets by itself."""
    x = torch.ones(3, 100)
    for f in (warpath.dropout, lambda v: warpath.dropout(v, seed=5), warpath.noise):
        assert torch.equal(torch.vmap(f)(x), torch.stack([f(row) for row in x]))


def test_autocast_gradient(x):
    a, b = x.clone().requires_grad_(), x.bfloat16().requires_grad_()
    with torch.autocast("cpu", torch.bfloat16):
        y = warpath.softmax_backward(a, b)
    assert y.dtype == torch.float32 and y.requires_grad


# --- calls that need no gradient take a shorter way: nobody who watches may see another op ---------------


class Watch(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


class WatchFunctions(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen.append(function)
        return function(*args, **(kwargs or {}))


class Subclass(torch.Tensor):
    pass


@pytest.mark.parametrize("needs_gradient", [False, True])
def test_modes_see_the_op(x, needs_gradient):
    softmax = torch.ops.warpath.softmax
    x.requires_grad_(needs_gradient)
    with Watch() as watch:
        softmax(x)
        softmax(x=x)
    assert [name for name in watch.seen if "warpath" in name] == ["warpath.softmax.default"] * 2
    with WatchFunctions() as watch:
        softmax(x)
        softmax(x=x)
    assert [function for function in watch.seen if function is softmax] == [softmax] * 2
    assert type(softmax(x.as_subclass(Subclass))) is Subclass


@pytest.mark.parametrize("tracing", ["real", "fake", "symbolic"])
def test_traces_name_the_op(x, tracing):
    graph = make_fx(lambda x: torch.ops.warpath.softmax(x), tracing_mode=tracing)(x).graph
    assert torch.ops.warpath.softmax.default in [node.target for node in graph.nodes]
    assert torch.ops.warpath.softmax(x.to("meta")).shape == x.shape


def test_gradient_by_name(x):
    x.requires_grad_()
    assert torch.ops.warpath.softmax(x=x).requires_grad
    with torch.no_grad():
        assert not torch.ops.warpath.softmax(x=x).requires_grad
    assert not torch.ops.warpath.softmax(x.detach()).requires_grad


def test_negative_view(x):
    torch.testing.assert_close(torch.ops.warpath.softmax(torch._neg_view(x)), torch.softmax(-x, -1))


def test_wrong_calls(x):
    softmax = torch.ops.warpath.softmax
    for args, kwargs in (((), {}), ((x, x, x), {}), ((x,), {"other": 1})):
        with pytest.raises(RuntimeError, match="warpath::softmax"):
            softmax(*args, **kwargs)
    with pytest.raises(RuntimeError, match="argument 'rung' is '99'"):
        softmax(x, rung="99")


def test_trace_keeps_gradients(x):
    traced = torch.jit.trace(lambda x: torch.ops.warpath.softmax(x), x)
    weight = torch.randn_like(x)
    x.requires_grad_()
    (traced(x) * weight).sum().backward()
    torch.testing.assert_close(x.grad, wanted_gradient(x, weight), rtol=1e-4, atol=1e-6)
