"""The Triton twins: ops/FAMILY/OP/OP.py, with a function for each op of the folder, found by being there."""

import importlib.util
import os
import sys
from collections.abc import Callable

import torch

from warpath import _folders
from warpath._contract import Op


class Missing(RuntimeError):
    """Why an op has no twin here, in words."""


def interpret_without_gpu() -> None:
    """Triton reads this where functions are defined. Its own are, if torch.compile has imported it before: they are
    defined again."""
    if torch.cuda.is_available():
        return
    os.environ.setdefault("TRITON_INTERPRET", "1")
    if os.environ["TRITON_INTERPRET"] == "1" and "triton.language" in sys.modules:
        _interpret_triton_itself()


def _interpret_triton_itself() -> None:
    from triton.language import core
    from triton.runtime.interpreter import InterpretedFunction
    from triton.runtime.jit import JITFunction

    again: dict[int, InterpretedFunction] = {}
    homes = [m for name, m in sys.modules.items() if name.split(".")[:2] == ["triton", "language"]]
    for home in (*homes, core.tensor):
        for name, value in list(vars(home).items()):
            if isinstance(value, JITFunction):
                made = again.setdefault(id(value), InterpretedFunction(value.fn))
                setattr(home, name, made)


def find(op: Op) -> Callable:
    """The twin of an op: takes what warpath.OP takes, except the rung. Missing says why there is none."""
    where = _folders.words(op, f"{op.folder}.py")
    if _folders.file(op, f"{op.folder}.py") is None:
        raise Missing(f"there is no {where}")
    if importlib.util.find_spec("triton") is None:
        raise Missing("Triton is not installed: pip install triton")
    interpret_without_gpu()
    function = getattr(_folders.module(op, op.folder), op.name, None)
    if function is None:
        raise Missing(f"{where} has no function {op.name}")
    return function


def device() -> str:
    """Where twins run: natively on a GPU, by Triton's interpreter on a CPU."""
    return "cuda" if torch.cuda.is_available() else "cpu"
