"""Writes warpath/__init__.pyi from the contracts; the build calls it."""

import inspect
import typing
from pathlib import Path

import torch

import warpath
from warpath import _words
from warpath._contract import Op

_HEAD = """# Written by warpath._stubs from the contracts of the ops.
from typing import Literal

from torch import Tensor
from torch.nn import Module

from warpath._build import CompileError as CompileError
from warpath._limits import set_timeout as set_timeout
from warpath._load import KernelError as KernelError
from warpath._load import Kernels as Kernels
from warpath._load import load as load
from warpath._load import load_inline as load_inline

def compare(
    op: str,
    *,
    case: str | None = None,
    dtype: str | None = None,
    rows: list[str] | None = None,
    plot: str | None = None,
): ...
def onnx_library() -> str: ...
def ops() -> list[str]: ...
def rungs(op: str, device: str = "cpu") -> list[str]: ...
def patch(model: Module) -> list[str]: ...
"""


def _annotation(annotation: object) -> str:
    if annotation is torch.Tensor:
        return "Tensor"
    if annotation == torch.Tensor | None:
        return "Tensor | None"
    if annotation == str | None:
        return "str | None"
    if annotation == list[torch.Tensor]:
        return "list[Tensor]"
    if annotation == list[torch.Tensor] | None:
        return "list[Tensor] | None"
    if typing.get_origin(annotation) is typing.Literal:
        return f"Literal[{', '.join(repr(a) for a in typing.get_args(annotation))}]"
    return annotation.__name__


def _parameters(op: Op) -> str:
    texts, named = [], False
    for p in _words.parameters(op):
        if p.kind is inspect.Parameter.KEYWORD_ONLY and not named:
            texts.append("*")
            named = True
        default = "" if p.default is inspect.Parameter.empty else f" = {p.default!r}"
        texts.append(f"{p.name}: {_annotation(p.annotation)}{default}")
    return ", ".join(texts)


def text(ops: dict[str, Op]) -> str:
    functions = []
    for op in ops.values():
        results = ["Tensor"] * len(op.outputs)
        returned = f"tuple[{', '.join(results)}]" if len(results) > 1 else (results or ["None"])[0]
        for in_place in (False, True) if op.in_place else (False,):
            name = f"{op.name}_" if in_place else op.name
            functions.append(f"def {name}({_parameters(op)}) -> {returned}:")
            lines = _words.docstring(op, in_place=in_place).splitlines()
            lines = [f"    {line}".rstrip() for line in lines]
            functions.append('    """' + "\n".join(lines).lstrip() + '\n    """\n')
    return _HEAD + "\n" + "\n".join(functions)


def write(path: str) -> None:
    Path(path).write_text(text(warpath._ops))
