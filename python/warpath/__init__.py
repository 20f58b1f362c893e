"""Warpath's kernels as torch ops: on CUDA tensors, and on CPU tensors by simt.

    import torch, warpath

    y = warpath.softmax(torch.randn(8, 1000))          # the best rung that takes these arguments
    y = warpath.softmax(y, rung="03_warp")             # one rung of the ladder
    warpath.ops(), warpath.rungs("softmax")            # what there is

Every function here is made from the contract of an op; help(warpath.softmax) shows it.
"""

import importlib
import sys

import torch

from warpath import _contract, _native, _register
from warpath._build import CompileError
from warpath._limits import set_timeout
from warpath._load import KernelError, Kernels, load, load_inline
from warpath._xray import xray

__version__ = "0.1.0"

_ops = _contract.parse(_native.load())
globals().update(_register.register_all(_ops))


def ops() -> list[str]:
    """The names of all ops."""
    return sorted(_ops)


def rungs(op: str, device: str = "cpu") -> list[str]:
    """The ladder of an op from the bottom up: what `rung=` takes, on "cpu" or "cuda"."""
    return _contract.rungs(_ops, op, device)


def patch(model: torch.nn.Module) -> list[str]:
    """Puts the modules of warpath.nn in the place of torch's, in the model; says which."""
    from warpath import nn

    return nn.patch(model)


def compare(
    op: str,
    *,
    case: str | None = None,
    dtype: str | None = None,
    rows: list[str] | None = None,
    plot: str | None = None,
):
    """An op by every library that has it, as a pandas DataFrame: what ran, what passed, the largest error
    against float64, the time on this device and how it was taken, the ratio to PyTorch's.

    `case` is one of the op's own, `rows` leaves the others out, `plot` names a folder for a picture
    of time against size.
    """
    from pathlib import Path

    from warpath import _compare, _plot

    _contract.check_name(_ops, op)
    made = _compare.frame(*_compare.table(_ops[op], case, dtype, rows))
    if plot is not None:
        chosen = _compare.choose_rows(_ops[op], rows)
        made.attrs["plots"] = _plot.save(_ops[op], dtype, chosen, Path(plot))
    return made


def onnx_library() -> str:
    """The file for ONNX Runtime's SessionOptions.register_custom_ops_library: every op, on the CPU."""
    from warpath import onnx

    return onnx.library()


def load_ipython_extension(shell) -> None:
    """`%load_ext warpath`: the magic %%cuda."""
    from warpath import _magic

    _magic.load_ipython_extension(shell)


def __getattr__(name: str):
    """The parts that are opened when they are first used."""
    if name in ("cpp_extension", "nn", "onnx", "optim"):
        return importlib.import_module(f"warpath.{name}")
    raise AttributeError(f"module 'warpath' has no attribute '{name}'", name=name, obj=_module)


_module = sys.modules[__name__]

__all__ = [
    "CompileError",
    "KernelError",
    "Kernels",
    "compare",
    "load",
    "load_inline",
    "onnx_library",
    "ops",
    "patch",
    "rungs",
    "set_timeout",
    "xray",
]
__all__.extend(_ops)
__all__.extend(f"{op.name}_" for op in _ops.values() if op.in_place)
