"""Modules on Warpath's ops, drop-in for those of torch.nn with the same names.

Each comes from modules.py of its op's folder; dir(warpath.nn) lists them.
"""

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType

import torch

import warpath
from warpath import _folders
from warpath.nn import functional as functional

_lock = threading.RLock()


@dataclass
class _Collected:
    """What the folders of all ops bring, by name."""

    modules: dict[str, type[torch.nn.Module]] = field(default_factory=dict)
    functions: dict[str, Callable] = field(default_factory=dict)  # of warpath.nn.functional
    replaces: dict[str, type[torch.nn.Module]] = field(default_factory=dict)
    patches: list[Callable] = field(default_factory=list)  # of a model as a whole

    def add(self, brought: ModuleType, where: str) -> None:
        own = {
            name: value
            for name, value in vars(brought).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == brought.__name__
        }
        modules = {
            name: value
            for name, value in own.items()
            if isinstance(value, type) and issubclass(value, torch.nn.Module)
        }
        functions = {name: value for name, value in own.items() if isinstance(value, FunctionType)}
        # A class of another library goes by its full name, so that nothing needs that library.
        stands_for = {
            known if isinstance(known, str) else _full_name(known): ours
            for known, ours in getattr(brought, "REPLACES", {}).items()
        }
        twice = [
            *(modules.keys() & self.modules),
            *(functions.keys() & self.functions),
            *(stands_for.keys() & self.replaces),
        ]
        if twice:
            raise ImportError(f"{where}: another folder has brought {twice[0]} to warpath.nn")
        for value in modules.values():
            value.__module__ = __name__  # as people know it, and as pickle finds it
        for value in functions.values():
            value.__module__ = f"{__name__}.functional"
        self.modules |= modules
        self.functions |= functions
        self.replaces |= stands_for
        self.patches += getattr(brought, "PATCHES", [])


def _collected() -> _Collected:
    with _lock:
        return _collect()


@functools.cache
def _collect() -> _Collected:
    collected = _Collected()
    for folder in {op.path: op for op in warpath._ops.values()}.values():
        brought = _folders.module(folder, "modules")
        if brought is not None:
            collected.add(brought, _folders.words(folder, "modules.py"))
    return collected


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def __getattr__(name: str) -> type[torch.nn.Module]:
    if not name.startswith("_") and name in _collected().modules:
        return _collected().modules[name]
    raise AttributeError(f"module 'warpath.nn' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*_collected().modules, "functional", "patch"])


class Patched(list[str]):
    """What patch() exchanged, a line per module or other part of a model. `left` has the others: those without parts
    that stayed as they were."""

    def __init__(self):
        super().__init__()
        self.left: list[str] = []


def patch(model: torch.nn.Module) -> Patched:
    """Puts Warpath's modules in the place of torch's and Hugging Face's, in the model itself; says which, and which not.

    Only modules of exactly a known class are exchanged, not those of classes derived from it, and none of float64, for
    which there are no kernels.
    Parameters, buffers, hooks and mode stay: the module keeps all it had except its class.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"warpath.patch takes a torch.nn.Module, not {type(model).__name__}")
    collected = _collected()
    replaces = collected.replaces
    ours = {*collected.modules.values(), *replaces.values()}
    patched = Patched()
    in_doubles = _in_doubles(model)
    for name, module in model.named_modules():
        kind = type(module)
        line = f"{name or 'the model'}: {_short_name(kind)}"
        if _full_name(kind) in replaces and _in_doubles(module, in_doubles):
            patched.left.append(f"{line} (float64)")
        elif _full_name(kind) in replaces:
            module.__class__ = replaces[_full_name(kind)]
            patched.append(line)
        elif kind not in ours and next(module.children(), None) is None:
            patched.left.append(line)
    for change in collected.patches:
        change(model, patched)
    return patched


def _in_doubles(module: torch.nn.Module, otherwise: bool = False) -> bool:
    """Whether a module computes in float64, by its parameters and buffers; one without any as `otherwise` says."""
    dtypes = {
        t.dtype for t in (*module.parameters(), *module.buffers()) if t.dtype.is_floating_point
    }
    return torch.float64 in dtypes if dtypes else otherwise


def _short_name(kind: type) -> str:
    """torch.nn.Linear, transformers.Conv1D."""
    package = (
        "torch.nn" if kind.__module__.startswith("torch.nn.") else kind.__module__.split(".")[0]
    )
    return f"{package}.{kind.__qualname__}"
