"""Functions on Warpath's ops, drop-in for those of torch.nn.functional with the same names.

Each comes from modules.py of its op's folder; dir(warpath.nn.functional) lists them.
"""

from collections.abc import Callable

from warpath import nn


def __getattr__(name: str) -> Callable:
    if not name.startswith("_") and name in nn._collected().functions:
        return nn._collected().functions[name]
    raise AttributeError(f"module 'warpath.nn.functional' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted(nn._collected().functions)
