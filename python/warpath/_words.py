"""An op in words: its signature and its docstring."""

import inspect
from typing import Literal

import torch

from warpath import _folders
from warpath._contract import Argument, Op

_SCALARS = {"int": int, "float": float, "bool": bool}


def _dtypes(op: Op, argument: Argument) -> str:
    return f"dtype of {argument.same_as}" if argument.same_as else ", ".join(argument.dtypes)


def parameters(op: Op) -> list[inspect.Parameter]:
    result = []
    for p in op.parameters:
        if p.is_tensor or p.is_list:
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            default = None if p.optional else inspect.Parameter.empty
            annotation = list[torch.Tensor] if p.is_list else torch.Tensor
            annotation = annotation | None if p.optional else annotation
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            default = p.default
            annotation = Literal[p.choices] if p.choices else _SCALARS[p.type]
        result.append(inspect.Parameter(p.name, kind, default=default, annotation=annotation))
    keyword = inspect.Parameter.KEYWORD_ONLY
    return [*result, inspect.Parameter("rung", keyword, default=None, annotation=str | None)]


def docstring(op: Op, *, in_place: bool = False) -> str:
    overwrites = {o.in_place: o.name for o in op.outputs if in_place and o.in_place}
    explained = _folders.explanation(op)
    lines = [op.summary, "", *explained, *([""] if explained else []), "Args:"]
    if overwrites:
        words = ", ".join(f"{output} overwrites {name}" for name, output in overwrites.items())
        lines[1:1] = [f"In place: {words}."]
    for p in op.parameters:
        if p.is_tensor or p.is_list:
            extra = ", may be left out" if p.optional else ""
            extra += ", changed in place" if p.mutated or p.name in overwrites else ""
            what = f"list of {p.dims_text}" if p.is_list else f"Tensor ({p.dims_text})"
            lines.append(f"    {p.name}: {what}, {_dtypes(op, p)}{extra}")
        else:
            values = " or ".join(repr(c) for c in p.choices) or p.type
            lines.append(f"    {p.name}: {values}, default {p.default!r}")
    lines.append("    rung: a rung of the ladder by name or its beginning; default: the best;")
    lines.append(f'        warpath.rungs("{op.name}") lists them')
    if op.outputs:
        lines += ["", "Returns:"]
    lines += [f"    {o.name}: Tensor ({o.dims_text}), {_dtypes(op, o)}" for o in op.outputs]
    return "\n".join(lines)


# --- refusals ---------------------------------------------------------------------------------------


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _wrong_tensor(p: Argument, value: object) -> str:
    if value is None:
        return "" if p.optional else "is None; it takes a tensor"
    if not isinstance(value, torch.Tensor):
        return f"is {_kind(value)}; it takes a tensor"
    if value.is_nested:
        return "is a nested tensor; it takes a dense one"
    if value.is_quantized:
        return "is quantized; pass .dequantize()"
    if value.layout is not torch.strided:
        return f"is {str(value.layout).removeprefix('torch.')}; pass .to_dense()"
    if value.device.type not in ("cpu", "cuda", "meta"):
        return f"is on {value.device}; there are kernels for the CPU and for CUDA"
    return ""


def _wrong_scalar(p: Argument, value: object) -> str:
    whole = isinstance(value, int) and not isinstance(value, bool)
    fits = {
        "int": whole,
        "float": whole or isinstance(value, float),
        "bool": isinstance(value, bool),
        "str": isinstance(value, str) or (value is None and bool(p.same_as)),
    }[p.type]
    if whole and p.type == "int" and not -(2**63) <= value < 2**63:
        return f"is {value!r:.40}, which 64 bits cannot hold"
    takes = " or ".join(repr(c) for c in p.choices if c) or f"{p.type}"
    return "" if fits else f"is {value!r:.40}; it takes {takes}"


def _wrong(p: Argument, value: object) -> str:
    """Why an argument cannot be passed at all; empty: what its contract says of it is checked elsewhere."""
    if not p.is_list:
        return _wrong_tensor(p, value) if p.is_tensor else _wrong_scalar(p, value)
    if value is None and p.optional:
        return ""
    if not isinstance(value, (list, tuple)):
        return f"is {_kind(value)}; it takes a list of tensors"
    if not value:
        return "is an empty list; it takes at least one tensor"
    wrong = (
        (i, _wrong_tensor(p, t) or ("is None" if t is None else "")) for i, t in enumerate(value)
    )
    return next((f"[{i}] {why}" for i, why in wrong if why), "")


def refusal(op: Op, name: str, signature: inspect.Signature, args, kwargs, error: Exception) -> str:
    """What was wrong with a call, in one line, where torch's own text says it in many; empty: `error` says it."""
    said = f"warpath::{name}: "
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as why:
        return f"{said}{why}; it takes {signature}".replace("torch.Tensor", "Tensor")
    for p in op.parameters:
        why = _wrong(p, given[p.name]) if p.name in given else ""
        if why:
            return f"{said}argument '{p.name}' {why}"
    rung = given.get("rung")
    if rung is not None and not isinstance(rung, str):
        return f"{said}argument 'rung' is {rung!r:.40}; it takes a name or its beginning, as \"03\""
    text = str(error)
    if text.startswith("torch could not "):
        return said + text.splitlines()[0]
    for p in op.tensors:  # the extension knows only the dtypes of contracts by name
        unknown = f"argument '{p.name}' is another dtype"
        if unknown in text and isinstance(given.get(p.name), torch.Tensor):
            dtype = str(given[p.name].dtype).removeprefix("torch.")
            return text.replace("another dtype", dtype, 1)
    return ""
