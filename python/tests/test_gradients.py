"""Gradients that an op's folder brings, against torch's; and float64 by the ops' references, against finite differences."""

import pytest
import torch
import warpath
from conftest import OPS, inputs


def matvec(x, w, bias=None):
    return torch.nn.functional.linear(x, w, bias)


def reduce(x, kind="sum"):
    return x.sum(-1) if kind == "sum" else x.amax(-1)


def gated_add(residual, x, gate):
    return torch.addcmul(residual, gate[:, None], x)


STEPS = {
    "none": lambda z: z,
    "relu": torch.relu,
    "gelu": lambda z: torch.nn.functional.gelu(z, approximate="tanh"),
    "silu": torch.nn.functional.silu,
}


def fused_elementwise(x, bias=None, residual=None, *, activation, scale=1.0):
    """The scale comes last, after the residual: both of their gradients have it."""
    y = STEPS[activation](x if bias is None else x + bias)
    return scale * (y if residual is None else y + residual)


# An op, torch's way to compute it, the shapes of its tensors, its scalars.
CASES = [
    ("vector_add", torch.add, [(3, 7), (3, 7)], {}),
    ("matrix_add", torch.add, [(3, 7), (3, 7)], {}),
    ("transpose", torch.t, [(5, 3)], {}),
    ("reduce", reduce, [(2, 3, 9)], {"kind": "sum"}),
    ("reduce", reduce, [(2, 3, 9)], {"kind": "max"}),
    ("matvec", matvec, [(2, 3, 6), (5, 6), (5,)], {}),
    ("matvec", matvec, [(4, 6), (5, 6)], {}),
    ("gated_add", gated_add, [(2, 3, 5), (2, 3, 5), (2, 5)], {}),
    *(
        (
            "fused_elementwise",
            fused_elementwise,
            [(2, 4, 7), (7,), (2, 4, 7)],
            {"activation": a, "scale": 0.375},
        )
        for a in STEPS
    ),
    ("fused_elementwise", fused_elementwise, [(4, 7)], {"activation": "gelu"}),
    ("fused_elementwise", fused_elementwise, [(7,), (7,)], {"activation": "silu", "scale": -2.0}),
]
IDS = [
    f"{name}-{'-'.join([*map(str, scalars.values())]) or len(shapes)}"
    for name, _, shapes, scalars in CASES
]


def made(shapes, dtype):
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("name", "torchs", "shapes", "scalars"), CASES, ids=IDS)
def test_as_torch_has_them(name, torchs, shapes, scalars, dtype):
    ours, theirs = (
        made(shapes, dtype),
        [t.detach().double().requires_grad_() for t in made(shapes, dtype)],
    )
    y, wanted = getattr(warpath, name)(*ours, **scalars), torchs(*theirs, **scalars)
    dy = torch.randn(y.shape).to(dtype)
    y.backward(dy)
    wanted.backward(dy.double())
    for got, right in zip(ours, theirs, strict=True):
        unit = torch.finfo(dtype).eps
        torch.testing.assert_close(got.grad.double(), right.grad, rtol=2 * unit, atol=8 * unit)


def test_a_maximum_shared_by_several():
    x = torch.tensor([[1.0, 3.0, 3.0], [2.0, 0.0, 1.0]], requires_grad=True)
    warpath.reduce(x, kind="max").backward(torch.tensor([4.0, 5.0]))
    assert x.grad.tolist() == [[0, 2, 2], [5, 0, 0]]


def test_only_what_is_wanted():
    x, w = made([(4, 6), (5, 6)], torch.float32)
    warpath.matvec(x, w.detach()).sum().backward()
    assert x.grad is not None and w.grad is None
    none = torch.zeros(0, 6, requires_grad=True)
    warpath.matvec(none, w).sum().backward()
    assert none.grad.shape == (0, 6) and torch.equal(w.grad, torch.zeros(5, 6))


def test_only_the_bias():
    """Nothing else of a chain needs a gradient; the empty tensor is the batch without rows."""
    x, bias, residual = made([(4, 6), (6,), (4, 6)], torch.float32)
    warpath.fused_elementwise(x.detach(), bias, residual.detach(), scale=2).sum().backward()
    assert torch.equal(bias.grad, torch.full((6,), 8.0)) and x.grad is residual.grad is None
    none = torch.zeros(0, 6, requires_grad=True)
    (db,) = torch.autograd.grad(
        warpath.fused_elementwise(none, bias, activation="gelu").sum(), bias
    )
    assert torch.equal(db, torch.zeros(6))


@pytest.mark.parametrize(("name", "torchs", "shapes", "scalars"), CASES, ids=IDS)
def test_gradcheck(name, torchs, shapes, scalars):
    tensors = made(shapes, torch.float64)
    function = getattr(warpath, name)
    assert torch.autograd.gradcheck(lambda *t: function(*t, **scalars), tensors)
    y, wanted = function(*tensors, **scalars), torchs(*tensors, **scalars)
    torch.testing.assert_close(y, wanted, rtol=1e-13, atol=1e-13)
    got = torch.func.grad(lambda x: function(x, *tensors[1:], **scalars).sum())(tensors[0])
    assert got.shape == tensors[0].shape


DIFFERENTIABLE = [
    "gelu",
    "silu",
    "softmax",
    "layer_norm",
    "rms_norm",
    "swiglu",
    "cross_entropy",
    "adaptive_norm",
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradcheck_of_kernels(name):
    """An op and its NAME_backward agree in float64: both by their references."""
    op = OPS[name]
    tensors = inputs(op, "f32", lead=(2,), cols=5, n=6, words=7)
    tensors = [t if a.index else t.double() for a, t in zip(op.tensors, tensors, strict=True)]
    tensors = [
        t if a.index else t.requires_grad_() for a, t in zip(op.tensors, tensors, strict=True)
    ]

    def first(*args):
        results = getattr(warpath, name)(*args)
        results = results if isinstance(results, tuple) else (results,)
        return tuple(r for r in results if r.requires_grad)

    assert torch.autograd.gradcheck(first, tensors)


def test_float64():
    x = torch.randn(3, 40, dtype=torch.float64)
    assert torch.allclose(warpath.softmax(x), torch.softmax(x, -1), rtol=1e-14, atol=0)
    compiled = torch.compile(lambda t: warpath.softmax(t) * 2, backend="eager", fullgraph=True)
    assert compiled(x).dtype == torch.float64
    assert warpath.softmax(x.to("meta")).dtype == torch.float64
    with pytest.raises(
        RuntimeError, match="'rung' is '03', but float64 is computed by the op's ref"
    ):
        warpath.softmax(x, rung="03")
    with pytest.raises(RuntimeError, match="argument 'b' is f32 but 'a' is f64"):
        warpath.vector_add(x, x.float())
    with pytest.raises(RuntimeError, match="argument 'x' is f64; allowed: f32"):
        warpath.relu_(x)
    with pytest.raises(RuntimeError, match="'ids' has 3 as element 1; it must be between 0 and 2"):
        warpath.embedding(x, torch.tensor([[0, 3]]))
