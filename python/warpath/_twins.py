"""The Triton twins: ops/OP/OP.py, with a function for each op of the folder, found by being there."""

import functools
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import torch

from warpath._contract import Op

FOLDER = Path(__file__).parent / "ops"


class Missing(RuntimeError):
    """Why an op has no twin here, in words."""


def interpret_without_gpu() -> None:
    """Before Triton is imported, by whomever: it reads this where its own functions are defined."""
    if not torch.cuda.is_available():
        os.environ.setdefault("TRITON_INTERPRET", "1")


@functools.cache
def _module(folder: str):
    path = FOLDER / folder / f"{folder}.py"
    if not path.exists():
        raise Missing(f"there is no ops/{folder}/{folder}.py")
    if importlib.util.find_spec("triton") is None:
        raise Missing("Triton is not installed: pip install triton")
    interpret_without_gpu()
    spec = importlib.util.spec_from_file_location(f"warpath_twin_{folder}", path.resolve())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(op: Op) -> Callable:
    """The twin of an op: takes what warpath.OP takes, but for the rung. Missing says why there is none."""
    function = getattr(_module(op.folder), op.name, None)
    if function is None:
        raise Missing(f"ops/{op.folder}/{op.folder}.py has no function {op.name}")
    return function


def device() -> str:
    """Where twins run: natively on a GPU, by Triton's interpreter on a CPU."""
    return "cuda" if torch.cuda.is_available() else "cpu"
