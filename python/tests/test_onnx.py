"""A model with our op in ONNX Runtime, through our custom-op library."""

import numpy as np
import pytest
import torch

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

from warpath import _onnx  # noqa: E402


def session(body: str, inputs: str, outputs: str):
    text = f'<ir_version: 10, opset_import: ["": 21, "warpath": 1]>\nm ({inputs}) => ({outputs}) '
    model = onnx.parser.parse_model(text + f"{{ {body} }}").SerializeToString()
    return onnxruntime.InferenceSession(model, _onnx._options(True))


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
