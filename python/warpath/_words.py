"""An op in words: its signature and its docstring."""

import inspect
from typing import Literal

import torch

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
    rung = inspect.Parameter("rung", inspect.Parameter.KEYWORD_ONLY, default="", annotation=str)
    return [*result, rung]


def docstring(op: Op, *, in_place: bool = False) -> str:
    overwrites = {o.in_place: o.name for o in op.outputs if in_place and o.in_place}
    lines = [op.summary, "", "Args:"]
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
    lines += ["", "Returns:"]
    lines += [f"    {o.name}: Tensor ({o.dims_text}), {_dtypes(op, o)}" for o in op.outputs]
    return "\n".join(lines)
