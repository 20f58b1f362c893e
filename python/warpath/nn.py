"""Modules on Warpath's ops, drop-in for those of torch.nn with the same names.

Each comes from modules.py of its op's folder; dir(warpath.nn) lists them.
"""

import functools
import threading

import torch

import warpath
from warpath import _folders

_lock = threading.RLock()


def _collected() -> tuple[dict[str, type[torch.nn.Module]], dict[str, type[torch.nn.Module]]]:
    with _lock:
        return _collect()


@functools.cache
def _collect() -> tuple[dict[str, type[torch.nn.Module]], dict[str, type[torch.nn.Module]]]:
    """The modules of all folders by name, and the class that each stands in for."""
    modules: dict[str, type[torch.nn.Module]] = {}
    replaces: dict[str, type[torch.nn.Module]] = {}
    for folder in {op.path: op for op in warpath._ops.values()}.values():
        brought = _folders.module(folder, "modules")
        if brought is None:
            continue
        made = {
            name: value
            for name, value in vars(brought).items()
            if not name.startswith("_")
            and isinstance(value, type)
            and issubclass(value, torch.nn.Module)
            and value.__module__ == brought.__name__
        }
        # A class of another library goes by its full name, so that nothing needs that library.
        stands_for = {
            known if isinstance(known, str) else _full_name(known): ours
            for known, ours in getattr(brought, "REPLACES", {}).items()
        }
        twice = [*(made.keys() & modules), *(stands_for.keys() & replaces)]
        if twice:
            where = _folders.words(folder, "modules.py")
            raise ImportError(f"{where}: another folder has brought {twice[0]} to warpath.nn")
        for value in made.values():
            value.__module__ = __name__  # as people know it, and as pickle finds it
        modules |= made
        replaces |= stands_for
    return modules, replaces


def _full_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def __getattr__(name: str) -> type[torch.nn.Module]:
    if not name.startswith("_") and name in _collected()[0]:
        return _collected()[0][name]
    raise AttributeError(f"module 'warpath.nn' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted([*_collected()[0], "patch"])


class Patched(list[str]):
    """What patch() exchanged, a line per module. `left` has the others: those without parts that stayed as they were."""

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
    modules, replaces = _collected()
    ours = {*modules.values(), *replaces.values()}
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
