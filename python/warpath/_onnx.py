"""Models of one op for ONNX Runtime: of standard nodes, and of our own op through our custom-op library."""

import functools
from collections.abc import Callable

import numpy as np
import onnx
import onnx.parser
import onnxruntime
import torch

from warpath import onnx as ours
from warpath._cases import CaseData
from warpath._contract import DTYPES, Op
from warpath._rows import CannotRun

_TYPES = {"f64": "double", "f32": "float", "f16": "float16", "i64": "int64", "i32": "int32"}
_TYPES |= {"i16": "int16", "i8": "int8", "u64": "uint64", "u32": "uint32", "u16": "uint16"}
_TYPES |= {"u8": "uint8", "bool": "bool"}


def our_node(op: Op, case_data: CaseData) -> str:
    """The op as a node of our domain, its scalars as attributes."""
    given = {t["name"]: t["dtype"] for t in case_data.told_inputs}
    inputs = [t.name if t.name in given else '""' for t in op.tensors]
    while inputs[-1] == '""':
        inputs.pop()
    types = {t["name"]: t["dtype"] for t in case_data.told_outputs if not _same_as(op, t["name"])}
    name = ours.node_name(op, given[op.tensors[0].name], types)
    outputs = ", ".join(o.name for o in op.outputs)
    told = ours.attributes(op, case_data.scalars)
    told = ", ".join(f"{name} = {_attribute(value)}" for name, value in told.items())
    told = f" <{told}>" if told else ""
    return f"{outputs} = {ours.DOMAIN}.{name}{told} ({', '.join(inputs)})"


def _same_as(op: Op, output: str) -> bool:
    return next(bool(o.same_as) or len(o.dtypes) < 2 for o in op.outputs if o.name == output)


def _attribute(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _value(told: dict) -> str:
    if told["dtype"] not in _TYPES:
        raise CannotRun(f"numpy has no {told['dtype']}, so Python cannot hand it over")
    return f"{_TYPES[told['dtype']]}[{', '.join(map(str, told['shape']))}] {told['name']}"


def model(case_data: CaseData, body: str) -> onnx.ModelProto:
    inputs = ", ".join(_value(t) for t in case_data.told_inputs)
    outputs = ", ".join(_value(t) for t in case_data.told_outputs)
    text = f'<ir_version: 10, opset_import: ["": 21, "{ours.DOMAIN}": 1]>\n'
    text += f"one_op ({inputs}) => ({outputs}) {{ {body} }}"
    return onnx.parser.parse_model(text)


@functools.cache
def _options(with_ours: bool) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what fails is an exception; no second voice on stderr
    if with_ours:
        options.register_custom_ops_library(ours.library())
    return options


def session(op: Op, case_data: CaseData, body: str, with_ours: bool = False) -> Callable:
    del op
    data = model(case_data, body).SerializeToString()
    providers = ["CPUExecutionProvider"]
    try:
        made = onnxruntime.InferenceSession(data, _options(with_ours), providers=providers)
    except Exception as why:  # noqa: BLE001  its own classes share no base
        raise CannotRun(f"ONNX Runtime says: {str(why).splitlines()[0]}"[:200]) from None
    feed = {t["name"]: case_data.inputs[t["name"]].numpy() for t in case_data.told_inputs}

    def run():
        results = made.run(None, feed)
        wanted = [DTYPES[t["dtype"]] for t in case_data.told_outputs]
        return tuple(
            torch.from_numpy(np.ascontiguousarray(r)).to(d)
            for r, d in zip(results, wanted, strict=True)
        )

    return run
