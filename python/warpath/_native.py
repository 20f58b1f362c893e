"""Opens the extension, which makes the ops known to torch."""

import ctypes
import functools
import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import torch  # (the extension is linked with torch's libraries: they come first)
from torch._ops import OpOverloadPacket
from torch.autograd import forward_ad
from torch.overrides import has_torch_function_variadic

_extension = Path(__file__).parent / "_torch.so"


@functools.cache
def _code() -> ctypes.CDLL:
    code, text = ctypes.CDLL(str(_extension)), ctypes.c_char_p
    code.warpath_load.argtypes, code.warpath_load.restype = [text, text, text], text
    code.warpath_rungs.argtypes, code.warpath_rungs.restype = [text, text], text
    code.warpath_default_timeout.restype = ctypes.c_double
    return code


def default_timeout() -> float:
    """Seconds that a kernel may run on the CPU, unless the user says otherwise."""
    return _code().warpath_default_timeout()


def load() -> dict:
    """Loads every host library, no kernels, and returns what the contracts say.

    WARPATH_LIB names another folder of libraries, WARPATH_ROOT another one that has ops/ in it.
    """
    here = _extension.parent
    if not _extension.exists():
        raise ImportError(
            f"{_extension} is not built: run `./warpath python`, or `pip install .` in the sources"
        )
    lib = os.environ.get("WARPATH_LIB") or here / "lib"
    ops = Path(os.environ.get("WARPATH_ROOT") or here) / "ops"
    load = _code().warpath_load
    text = load(*(os.fsencode(path) for path in (here, lib, ops))).decode()
    if text.startswith("error: "):
        raise ImportError(f"warpath: {text.removeprefix('error: ')}")
    found = json.loads(text)
    for failure in found["failures"]:
        warnings.warn(f"warpath: a library was left out: {failure}", stacklevel=3)
    return found


def rungs(op: str, backend: str) -> list[dict]:
    """The ladder of an op from the bottom up, for "simt" or "cuda". Opens its library; none: no rungs."""
    text = _code().warpath_rungs(op.encode(), backend.encode()).decode()
    if text.startswith("error: "):
        raise RuntimeError(text.removeprefix("error: "))
    return json.loads(text)


def _transforms_active() -> bool:
    """Under torch.func, or where tensors may carry forward-mode tangents, which a shorter way would lose."""
    return torch._C._are_functorch_transforms_active() or forward_ad._current_level >= 0


def short_way(packet: OpOverloadPacket, transformed: Callable, must_be_given: tuple) -> Callable:
    """A function in C that calls the overload of an op which costs least.

    The packet itself where a mode or a subclass of Tensor has its own __torch_function__, `transformed` under torch.func
    and in forward mode, `default` where an argument wants a gradient, `plain` where nothing but the tensors that must be
    given are, `named` elsewhere.
    """
    make = ctypes.PyDLL(str(_extension)).warpath_short_way
    make.argtypes, make.restype = [ctypes.py_object], ctypes.py_object
    ways = packet.plain._op, packet.named._op, packet.default._op, packet._op, transformed
    questions = (
        has_torch_function_variadic,
        _transforms_active,
        torch._C._is_tracing,
        torch._C._any_requires_grad,
    )
    return make((*ways, *questions, must_be_given))
