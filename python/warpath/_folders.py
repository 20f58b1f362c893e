"""What an op's folder brings in Python, found by being there. ops/FAMILY/OP/ may have:

OP.h         the contract; the comment it begins with explains the arguments, and is part of the docstring
OP.py        the Triton twin: a function per op of the folder
OP.wgsl      the WebGPU twin
peers.py     the op by other libraries: NAME_torch, NAME_torch_cudnn, NAME_numpy, NAME_onnx
autograd.py  GRADIENTS: {"NAME": class}, for an op whose gradient is no op NAME_backward; AUTOCAST: the names of ops that
             autocast computes in its own dtype
arguments.py ARGUMENTS: {"NAME": function}, which takes a call's arguments (a tuple, a dict) and returns the named ones:
             with defaults that depend on others, or a RuntimeError where a value cannot be
modules.py   modules for warpath.nn, functions for warpath.nn.functional; for warpath.patch, REPLACES: {class of torch.nn, or
             the full name of another library's: module}, and PATCHES: functions that take the model and what was patched

What the ops of a family share is in ops/FAMILY/NAME.py; their files ask for it by family(__file__, "NAME").
"""

import functools
import importlib.util
import itertools
import sys
import threading
from pathlib import Path
from types import ModuleType

from warpath._contract import Op


def file(op: Op, name: str) -> Path | None:
    """A file of the op's folder, if it is there."""
    path = Path(op.path, name)
    return path if op.path and path.is_file() else None


@functools.cache
def _comment(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    comment = itertools.takewhile(lambda line: line.startswith("//"), lines)
    return [line.removeprefix("//").removeprefix(" ") for line in comment]


def explanation(op: Op) -> list[str]:
    """What the head of the contract's file says, line by line; it is about all ops of the folder."""
    path = file(op, f"{op.folder}.h")
    return [] if path is None else _comment(path)


def words(op: Op, name: str) -> str:
    """How messages name such a file."""
    return f"ops/{op.family or '*'}/{op.folder}/{name}"


_lock = threading.RLock()  # a file is run once, whichever thread comes first


@functools.cache
def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        f"warpath_op_{path.parent.name}_{path.stem}", path
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # torch.compile looks globals up by that name
    spec.loader.exec_module(module)
    return module


def module(op: Op, name: str) -> ModuleType | None:
    """A Python file of the op's folder, loaded once."""
    path = file(op, f"{name}.py")
    with _lock:
        return None if path is None else _load(path.resolve())


def family(file: str, name: str) -> ModuleType:
    """A Python file beside the folder that `file` is in, loaded once."""
    with _lock:
        return _load(Path(file).resolve().parents[1] / f"{name}.py")
