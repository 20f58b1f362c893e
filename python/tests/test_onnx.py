"""Models with our ops: in ONNX Runtime through our custom-op library, and written by torch.onnx."""

import logging

import numpy as np
import pytest
import torch

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

import warpath
import warpath.onnx
from conftest import OPS, as_tuple, call, inputs


def session(body: str, inputs: str, outputs: str):
    text = f'<ir_version: 10, opset_import: ["": 21, "warpath": 1]>\nm ({inputs}) => ({outputs}) '
    model = onnx.parser.parse_model(text + f"{{ {body} }}").SerializeToString()
    return warpath.onnx.session(model)


def test_in_a_model():
    """Between standard nodes, with more than one leading axis, in two dtypes."""
    body = "z = Mul (x, x) y = warpath.softmax (z)"
    for name, dtype in (("float", torch.float32), ("float16", torch.float16)):
        made = session(body, f"{name}[a, b, c] x", f"{name}[a, b, c] y")
        x = torch.randn(2, 3, 50).to(dtype)
        (y,) = made.run(None, {"x": x.numpy()})
        torch.testing.assert_close(torch.from_numpy(y), torch.softmax(x * x, -1))


def test_attributes():
    x = np.random.default_rng(1).standard_normal((4, 70)).astype(np.float32)
    for attributes, wanted in (("", x.sum(1)), ('<kind = "max">', x.max(1))):
        made = session(f"y = warpath.reduce {attributes} (x)", "float[r, c] x", "float[r] y")
        (y,) = made.run(None, {"x": x})
        np.testing.assert_allclose(y, wanted, rtol=1e-5)


def test_two_inputs_and_none():
    made = session("c = warpath.vector_add (a, b)", "float[n] a, float[n] b", "float[n] c")
    one = np.ones(9, np.float32)
    assert (made.run(None, {"a": one, "b": one})[0] == 2).all()
    assert made.run(None, {"a": one[:0], "b": one[:0]})[0].shape == (0,)


def test_left_out():
    """matmul's c and bias: an empty name between others, and no name at the end."""
    a, b, c, bias = inputs(OPS["matmul"], "f32", lead=())
    told = "float[m, k] a, float[k, n] b, float[m, n] c, float[n] bias"
    for given, wanted in (
        ("a, b", a @ b),
        ("a, b, c", a @ b + c),
        ('a, b, "", bias', a @ b + bias),
        ("a, b, c, bias", a @ b + c + bias),
    ):
        made = session(f"d = warpath.matmul ({given})", told, "float[m, n] d")
        (d,) = made.run(
            None,
            {n: t.numpy() for n, t in zip("abc", (a, b, c), strict=True)} | {"bias": bias.numpy()},
        )
        torch.testing.assert_close(torch.from_numpy(d), wanted, rtol=1e-5, atol=1e-5)


def test_refused():
    x = {"a": np.ones((2, 3), np.float32), "b": np.ones((3, 2), np.float32)}
    made = session("c = warpath.vector_add (a, b)", "float[m, n] a, float[k, l] b", "float[m, n] c")
    with pytest.raises(Exception, match="warpath.vector_add: the leading axes of 'b' are not"):
        made.run(None, x)
    made = session('c = warpath.softmax <rung = "99"> (a)', "float[m, n] a", "float[m, n] c")
    with pytest.raises(Exception, match="warpath.softmax: there is no rung '99'"):
        made.run(None, {"a": x["a"]})


def test_indices_are_checked():
    given = "float[m, n] t, int64[k, l] i"
    made = session("y = warpath.embedding (t, i)", given, "float[k, l, n] y")
    table = np.ones((2, 3), np.float32)
    assert made.run(None, {"t": table, "i": np.ones((1, 1), np.int64)})[0].shape == (1, 1, 3)
    with pytest.raises(Exception, match="warpath.embedding: argument 'ids' has 2 as element 0"):
        made.run(None, {"t": table, "i": np.full((1, 1), 2)})


def test_export_is_silent():
    """Nothing about other libraries that the model does not use."""
    told = []
    handler = logging.Handler()
    handler.emit = told.append
    logger = logging.getLogger("torch.onnx._internal.exporter._registration")
    logger.addHandler(handler)
    try:
        warpath.onnx.export(torch.nn.ReLU().eval(), (torch.ones(2),))
    finally:
        logger.removeHandler(handler)
    assert not told


def test_export(tmp_path):
    """A model that calls every op in two dtypes, with tensors left out, a type chosen and a rung named."""
    pytest.importorskip("onnxscript")
    calls = [(op.name, inputs(op, d), {}) for op in OPS.values() for d in ("f32", "f16")]
    calls = [(name, given, named) for name, given, named in calls if OPS[name].functional]
    low = inputs(OPS["matmul"], "f16", lead=())
    calls += [
        ("matmul", low[:2], {"d_dtype": "f32"}),
        ("matmul", [*low[:2], None, low[3]], {"activation": "gelu", "alpha": 0.5}),
        ("matmul", [*low[:2], low[2].float()], {"beta": 2.0}),
        ("matvec", inputs(OPS["matvec"], "f32")[:2], {}),
        ("softmax", inputs(OPS["softmax"], "f32"), {"rung": "03_warp"}),
        ("reduce", inputs(OPS["reduce"], "f32"), {"kind": "max"}),
    ]

    class Model(torch.nn.Module):
        def forward(self, groups):
            return [
                call(OPS[name], tensors, **named)
                for (name, _, named), tensors in zip(calls, groups, strict=True)
            ]

    groups = [given for _, given, _ in calls]
    path = tmp_path / "model.onnx"
    warpath.onnx.export(Model().eval(), (groups,), path)
    nodes = [(n.domain, n.op_type) for n in onnx.load(path).graph.node if n.domain]
    assert len(nodes) == len(calls) and ("warpath", "matmul_d_f32") in nodes
    made = warpath.onnx.session(path)
    tensors = [t for group in groups for t in group if t is not None]
    feed = {i.name: t.numpy() for i, t in zip(made.get_inputs(), tensors, strict=True)}
    results = made.run(None, feed)
    wanted = [
        (wanted, f"{name} {named}")
        for name, given, named in calls
        for wanted in as_tuple(call(OPS[name], given, **named))
    ]
    for (tensor, who), got in zip(wanted, results, strict=True):
        torch.testing.assert_close(torch.from_numpy(got), tensor, msg=who)


def test_dynamic_shape(tmp_path):
    pytest.importorskip("onnxscript")
    model = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Softmax(dim=-1)).eval()
    warpath.patch(model)
    rows = torch.export.Dim("rows")
    path = tmp_path / "model.onnx"
    warpath.onnx.export(model, (torch.randn(5, 6),), path, dynamic_shapes=({0: rows},))
    made = warpath.onnx.session(path)
    x = torch.randn(9, 6)
    (y,) = made.run(None, {made.get_inputs()[0].name: x.numpy()})
    torch.testing.assert_close(torch.from_numpy(y), model(x).detach())
