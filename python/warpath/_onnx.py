"""Models of one op for ONNX Runtime: of standard nodes, and of our own op through our custom-op library."""

import functools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import torch

from warpath._contract import DTYPES, Op
from warpath._problems import Problem
from warpath._rows import CannotRun

DOMAIN = "warpath"
_TYPES = {"f64": "double", "f32": "float", "f16": "float16", "i64": "int64", "i32": "int32"}
_TYPES |= {"u8": "uint8", "bool": "bool"}


def library() -> Path:
    """The file for SessionOptions.register_custom_ops_library: every op as a node of domain "warpath"."""
    path = Path(__file__).parent / "onnx_ops.so"
    if not path.exists():
        raise CannotRun("this installation has no custom-op library: onnx_ops.so is not built")
    return path


def our_node(op: Op, problem: Problem) -> str:
    """The op as a node of our domain, its scalars as attributes."""
    if any(t.optional for t in op.tensors):
        raise CannotRun("our custom-op library offers no ops with tensors that may be left out")
    scalars = problem.scalars
    inputs = ", ".join(t.name for t in op.tensors)
    outputs = ", ".join(o.name for o in op.outputs)
    attributes = ", ".join(f"{name} = {_attribute(value)}" for name, value in scalars.items())
    attributes = f" <{attributes}>" if attributes else ""
    return f"{outputs} = {DOMAIN}.{op.name}{attributes} ({inputs})"


def _attribute(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _value(told: dict) -> str:
    if told["dtype"] not in _TYPES:
        raise CannotRun(f"numpy has no {told['dtype']}, so Python cannot hand it over")
    return f"{_TYPES[told['dtype']]}[{', '.join(map(str, told['shape']))}] {told['name']}"


def model(problem: Problem, body: str) -> onnx.ModelProto:
    inputs = ", ".join(_value(t) for t in problem.told_inputs)
    outputs = ", ".join(_value(t) for t in problem.told_outputs)
    text = f'<ir_version: 10, opset_import: ["": 21, "{DOMAIN}": 1]>\n'
    text += f"one_op ({inputs}) => ({outputs}) {{ {body} }}"
    return onnx.parser.parse_model(text)


@functools.cache
def _options(ours: bool) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what fails is an exception; no second voice on stderr
    if ours:
        options.register_custom_ops_library(str(library()))
    return options


def session(op: Op, problem: Problem, body: str, ours: bool = False) -> Callable:
    del op
    data = model(problem, body).SerializeToString()
    providers = ["CPUExecutionProvider"]
    try:
        made = onnxruntime.InferenceSession(data, _options(ours), providers=providers)
    except Exception as why:  # noqa: BLE001  its own classes share no base
        raise CannotRun(f"ONNX Runtime says: {str(why).splitlines()[0]}"[:200]) from None
    feed = {t["name"]: problem.inputs[t["name"]].numpy() for t in problem.told_inputs}

    def run():
        results = made.run(None, feed)
        wanted = [DTYPES[t["dtype"]] for t in problem.told_outputs]
        return tuple(
            torch.from_numpy(np.ascontiguousarray(r)).to(d)
            for r, d in zip(results, wanted, strict=True)
        )

    return run
