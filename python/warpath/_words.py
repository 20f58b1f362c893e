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
        if p.is_tensor:
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            default = None if p.optional else inspect.Parameter.empty
            annotation = torch.Tensor | None if p.optional else torch.Tensor
        else:
            kind = inspect.Parameter.KEYWORD_ONLY
            default = p.default
            annotation = Literal[p.choices] if p.choices else _SCALARS[p.type]
        result.append(inspect.Parameter(p.name, kind, default=default, annotation=annotation))
    rung = inspect.Parameter("rung", inspect.Parameter.KEYWORD_ONLY, default="", annotation=str)
    return [*result, rung]


def docstring(op: Op) -> str:
    lines = [op.summary, "", "Args:"]
    for p in op.parameters:
        if p.is_tensor:
            extra = ", may be left out" if p.optional else ""
            extra += ", changed in place" if p.mutated else ""
            lines.append(f"    {p.name}: Tensor ({p.dims_text}), {_dtypes(op, p)}{extra}")
        else:
            values = " or ".join(repr(c) for c in p.choices) or p.type
            lines.append(f"    {p.name}: {values}, default {p.default!r}")
    lines.append("    rung: a rung of the ladder by name or its beginning; default: the best")
    ladder = op.rungs["simt"] or op.rungs["cuda"]
    lines.append("        " + ", ".join(r["name"] for r in ladder))
    lines += ["", "Returns:"]
    lines += [f"    {o.name}: Tensor ({o.dims_text}), {_dtypes(op, o)}" for o in op.outputs]
    return "\n".join(lines)
