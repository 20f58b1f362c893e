"""Models with our ops in ONNX: written by torch.onnx, run by ONNX Runtime on a CPU through our custom-op library.

    warpath.onnx.export(model, (x,), "model.onnx")
    session = warpath.onnx.session("model.onnx")
    (y,) = session.run(None, {"x": x.numpy()})

Every op is a node of the domain "warpath": its scalars and a named rung are attributes, what may be left out is
an optional input.
"""

import importlib.util
import inspect
import logging
import os
from collections.abc import Callable
from pathlib import Path

import torch

from warpath._contract import Op

DOMAIN = "warpath"
VERSION = 1


def library() -> str:
    """The file for ONNX Runtime's SessionOptions.register_custom_ops_library."""
    path = Path(__file__).parent / "onnx_ops.so"
    if not path.exists():
        raise RuntimeError("warpath: this installation has no custom-op library: onnx_ops.so")
    return str(path)


def _need(*packages: str) -> None:
    missing = [p for p in packages if importlib.util.find_spec(p) is None]
    if missing:
        raise RuntimeError(
            f"warpath.onnx needs {' '.join(missing)}: pip install {' '.join(missing)}"
        )


def result_types(op: Op, given: dict[str, str], scalars: dict[str, object]) -> dict[str, str]:
    """The types of the outputs whose type the call chooses, as the op itself chooses them. `given` are the
    types of the inputs that are not left out."""
    first = next(iter(given.values()))
    types = {}
    for output in op.outputs:
        if output.same_as or len(output.dtypes) < 2:
            continue
        told = [scalars.get(s.name) for s in op.scalars if s.same_as == output.name]
        told += [given.get(t.name) for t in op.tensors if t.same_as == output.name]
        types[output.name] = next(filter(None, told), usual_type(output.dtypes, first))
    return types


def usual_type(allowed: tuple[str, ...], first: str) -> str:
    return first if first in allowed else allowed[0]


def node_name(op: Op, first: str, types: dict[str, str]) -> str:
    """matmul, or matmul_d_f32 where the result's type is not that of the first input."""
    allowed = {o.name: o.dtypes for o in op.outputs}
    other = [
        f"_{name}_{dtype}"
        for name, dtype in types.items()
        if dtype != usual_type(allowed[name], first)
    ]
    return op.name + "".join(other)


def attributes(op: Op, scalars: dict[str, object]) -> dict[str, object]:
    """Those of a node: scalars that differ from their default, except the type of a result, which is in its name."""
    told = {}
    for s in op.scalars:
        value = scalars.get(s.name, s.default)
        if not s.same_as and value != s.default:
            told[s.name] = int(value) if isinstance(value, bool) else value
    if scalars.get("rung"):
        told["rung"] = scalars["rung"]
    return told


def _schema(op: Op, name: str):
    from onnx.defs import OpSchema

    kept = ("double", "float", "float16", "bfloat16", "int64", "int32", "uint8", "bool")
    every = [f"tensor({name})" for name in kept]
    one, optional = OpSchema.FormalParameterOption.Single, OpSchema.FormalParameterOption.Optional
    values = [*op.tensors, *op.outputs]
    parameters = [
        OpSchema.FormalParameter(
            v.name, f"T_{v.name}", param_option=optional if v.optional else one
        )
        for v in values
    ]
    kinds = {"float": OpSchema.AttrType.FLOAT, "str": OpSchema.AttrType.STRING}
    named = [
        OpSchema.Attribute(s.name, kinds.get(s.type, OpSchema.AttrType.INT), required=False)
        for s in op.scalars
        if not s.same_as
    ]
    named.append(OpSchema.Attribute("rung", OpSchema.AttrType.STRING, required=False))
    return OpSchema(
        name,
        DOMAIN,
        VERSION,
        inputs=parameters[: len(op.tensors)],
        outputs=parameters[len(op.tensors) :],
        type_constraints=[(f"T_{v.name}", every, "") for v in values],
        attributes=named,
    )


_TYPES = {"DOUBLE": "f64", "FLOAT": "f32", "FLOAT16": "f16", "BFLOAT16": "bf16"}
_TYPES |= {"INT64": "i64", "INT32": "i32", "INT16": "i16", "INT8": "i8", "BOOL": "bool"}
_TYPES |= {"UINT64": "u64", "UINT32": "u32", "UINT16": "u16", "UINT8": "u8"}


def _translation(op: Op) -> Callable:
    """What torch.onnx calls for a node of its graph; it takes what the torch op takes."""
    from onnxscript import values

    def translate(*tensors, **scalars):
        inputs = list(tensors) + [scalars.pop(t.name, None) for t in op.tensors[len(tensors) :]]
        given = {
            t.name: _TYPES[value.dtype.name]
            for t, value in zip(op.tensors, inputs, strict=True)
            if value is not None
        }
        types = result_types(op, given, scalars)
        name = node_name(op, next(iter(given.values())), types)
        while inputs and inputs[-1] is None:
            inputs.pop()
        node = values.Op(values.Opset(DOMAIN, VERSION), name, _schema(op, name))
        return node(*inputs, **attributes(op, scalars))

    empty = inspect.Parameter.empty
    types = {"int": int, "float": float, "bool": bool, "str": str}
    parameters = [
        inspect.Parameter(
            p.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=empty if p.is_tensor and not p.optional else p.default,
            annotation=empty if p.is_tensor else types[p.type],
        )
        for p in op.parameters
    ]
    rung = inspect.Parameter("rung", inspect.Parameter.KEYWORD_ONLY, default="", annotation=str)
    translate.__signature__ = inspect.Signature([*parameters, rung])
    translate.__annotations__ = {
        p.name: p.annotation for p in parameters if p.annotation is not empty
    }
    translate.__annotations__["rung"] = str
    translate.__name__ = translate.__qualname__ = f"warpath_{op.name}"
    return translate


def translations() -> dict[Callable, Callable]:
    """For torch.onnx.export(…, custom_translation_table=…): every op as a node of the domain "warpath"."""
    import warpath

    _need("onnx", "onnxscript")
    return {
        op.overload: _translation(op)
        for op in warpath._ops.values()
        if op.functional and not op.takes_lists
    }


def _is_about_the_model(record: logging.LogRecord) -> bool:
    return "torchvision is not installed" not in record.getMessage()


def export(
    model: torch.nn.Module, args: tuple = (), path: str | os.PathLike | None = None, **options
) -> "torch.onnx.ONNXProgram":
    """torch.onnx.export with our ops; `options` are its own, such as dynamic_shapes and input_names."""
    table = translations() | options.pop("custom_translation_table", {})
    options.setdefault("verbose", False)
    registry = logging.getLogger("torch.onnx._internal.exporter._registration")
    registry.addFilter(_is_about_the_model)
    try:
        program = torch.onnx.export(
            model, args, dynamo=True, custom_translation_table=table, **options
        )
    finally:
        registry.removeFilter(_is_about_the_model)
    if path is not None:
        program.save(path)
    return program


def session(model: str | os.PathLike | bytes, **options):
    """An onnxruntime.InferenceSession that knows our ops; `options` are its own."""
    _need("onnxruntime")
    import onnxruntime

    told = options.pop("sess_options", None) or onnxruntime.SessionOptions()
    told.register_custom_ops_library(library())
    options.setdefault("providers", ["CPUExecutionProvider"])
    given = model if isinstance(model, bytes) else os.fspath(model)
    return onnxruntime.InferenceSession(given, told, **options)
