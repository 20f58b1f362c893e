"""Opens the extension, which makes the ops known to torch."""

import ctypes
import json
import os
import warnings
from pathlib import Path

import torch  # noqa: F401  (the extension is linked with torch's libraries: they come first)


def load() -> dict:
    """Loads every op library and returns what the contracts say. WARPATH_LIB names another folder."""
    here = Path(__file__).parent
    extension = here / "_torch.so"
    if not extension.exists():
        raise ImportError(
            f"{extension} is not built: run `./warpath python`, or `pip install .` in the sources"
        )
    library = ctypes.CDLL(str(extension))
    library.warpath_load.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    library.warpath_load.restype = ctypes.c_char_p
    folder = os.environ.get("WARPATH_LIB") or here / "lib"
    text = library.warpath_load(os.fsencode(here), os.fsencode(folder)).decode()
    if text.startswith("error: "):
        raise ImportError(f"warpath: {text.removeprefix('error: ')}")
    found = json.loads(text)
    for problem in found["problems"]:
        warnings.warn(f"warpath: a library was left out: {problem}", stacklevel=3)
    return found
