"""Every op: each rung against torch, in every dtype; and what torch.library.opcheck demands."""

import ast
import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import tomllib
import torch
import warpath
from conftest import OPS, as_tuple, assert_right, call, dtypes, inputs, told_sizes
from warpath._contract import DTYPES

# These round to 16 bits between their steps; tests of their own say how far off they may be.
ROUNDS_BETWEEN = {"attention", "attention_backward", "attention_decode", "linear_cross_entropy"}

EVERY = [
    pytest.param(op, dtype, rung, id=f"{op.name}-{dtype}-{rung}")
    for op in OPS.values()
    for dtype in dtypes(op)
    for rung in warpath.rungs(op.name)
]


def test_version():
    with open(Path(__file__).parents[2] / "pyproject.toml", "rb") as file:
        assert warpath.__version__ == tomllib.load(file)["project"]["version"]


def test_ops_are_found():
    assert {"matmul", "reduce", "softmax", "softmax_backward", "transpose", "vector_add"} <= set(
        warpath.ops()
    )


@pytest.mark.parametrize(("op", "dtype", "rung"), EVERY)
def test_rung(op, dtype, rung):
    tensors = inputs(op, dtype, cols=64, n=72)
    try:
        got = call(op, tensors, rung=rung)
    except RuntimeError as refusal:
        assert f"rung '{rung}' cannot take this call: " in str(refusal)
        pytest.skip(str(refusal))
    given = {t.name: one.dtype for t, one in zip(op.tensors, tensors, strict=True)}
    for output, one in zip(op.outputs, as_tuple(got), strict=True):
        free = (
            DTYPES[dtype if dtype in output.dtypes else output.dtypes[0]] if output.dtypes else None
        )
        assert one.dtype == given.get(output.same_as, free)
    if dtype == "f32" or op.name not in ROUNDS_BETWEEN:
        assert_right(op, tensors, got)


@pytest.mark.parametrize("kind", ["sum", "max"])
@pytest.mark.parametrize("rung", warpath.rungs("reduce"))
def test_choice(kind, rung):
    op = OPS["reduce"]
    tensors = inputs(op, "f32")
    assert_right(op, tensors, call(op, tensors, kind=kind, rung=rung), kind=kind)


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_opcheck(op):
    overload = getattr(torch.ops.warpath, op.name).default
    tensors = inputs(op, "f32")
    sizes = told_sizes(op, tensors)
    torch.library.opcheck(overload, tuple(tensors), sizes)
    spread = [t.transpose(-1, 0).contiguous().transpose(-1, 0) for t in tensors]
    torch.library.opcheck(overload, tuple(spread), sizes)
    required = {d.name for t in op.tensors if not t.optional for d in t.dims}
    unsized = (d.name not in required for o in op.outputs if o.optional for d in o.dims if d.name)
    if op.functional and any(unsized):  # an output that only an input that may be left out sizes
        least = [None if a.optional else t for a, t in zip(op.tensors, tensors, strict=True)]
        torch.library.opcheck(overload, tuple(least), sizes)
    if op.name + "_backward" in OPS:
        wanting = (t.requires_grad_() if t.is_floating_point() else t for t in tensors)
        torch.library.opcheck(overload, tuple(wanting), sizes)


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_words(op):
    function = getattr(warpath, op.name)
    assert op.summary in function.__doc__
    names = [p.name for p in op.parameters]
    assert list(inspect.signature(function).parameters) == [*names, "rung"]


def test_stubs():
    tree = ast.parse((Path(warpath.__file__).parent / "__init__.pyi").read_text())
    stubs = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
    in_place = {f"{op.name}_" for op in OPS.values() if op.in_place}
    assert set(stubs) == {
        *(*warpath.ops(), *in_place, "ops", "rungs", "patch", "compare", "onnx_library")
    }
    for op in OPS.values():
        arguments = stubs[op.name].args
        assert [a.arg for a in arguments.args] == [t.name for t in op.tensors]
        assert [a.arg for a in arguments.kwonlyargs] == [*(s.name for s in op.scalars), "rung"]
        assert op.summary in ast.get_docstring(stubs[op.name])
    assert ast.unparse(stubs["reduce"].args.kwonlyargs[0].annotation) == "Literal['sum', 'max']"


def test_threads():
    x = torch.randn(64, 300)
    with ThreadPoolExecutor(4) as pool:
        for y in pool.map(lambda _: warpath.softmax(x), range(40)):
            torch.testing.assert_close(y, torch.softmax(x, -1))


def test_listing():
    assert warpath.rungs("softmax")[:3] == ["01_naive", "02_shared", "03_warp"]
    with pytest.raises(ValueError, match="did you mean 'softmax'"):
        warpath.rungs("sofmax")
    with pytest.raises(ValueError, match="device is 'tpu'"):
        warpath.rungs("softmax", "tpu")
