"""The Triton twins: ops/FAMILY/OP/OP.py, with a function for each op of the folder, found by being there."""

import importlib.util
import os
from collections.abc import Callable

import torch

from warpath import _folders
from warpath._contract import Op


class Missing(RuntimeError):
    """Why an op has no twin here, in words."""


def interpret_without_gpu() -> None:
    """Before Triton is imported, by whomever: it reads this where its own functions are defined."""
    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")


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
