"""How long a kernel may run on this CPU, and Ctrl-C while one runs."""

import contextlib
import ctypes
import functools
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

from warpath import _native


@functools.cache
def runtime() -> ctypes.CDLL:
    """What runs kernels on this CPU."""
    path = Path(__file__).parent / "runtime_simt.so"
    if not path.exists():
        raise RuntimeError("this installation runs no kernels on the CPU")
    code = ctypes.CDLL(str(path))
    code.warpath_recover.restype = code.simt_take_reports.restype = ctypes.c_char_p
    code.simt_keep_reports()
    code.simt_choose_timeout.argtypes = code.simt_set_timeout.argtypes = [ctypes.c_double]
    code.simt_choose_timeout.restype, code.simt_set_timeout.restype = None, ctypes.c_double
    code.simt_begin_interruptible.restype = ctypes.c_bool
    code.simt_end_interruptible.restype = ctypes.c_bool
    code.simt_choose_timeout(_native.default_timeout())  # SIMT_TIMEOUT comes first
    return code


def set_timeout(seconds: float | None) -> float | None:
    """How many seconds a kernel may run on this CPU; None: for ever. Returns the limit before.

    A kernel that runs longer is an error that names the line it was in. Without a call it is 300 s, or what the
    environment variable SIMT_TIMEOUT says. Ctrl-C ends a kernel, too. Kernels on a GPU have no limit.
    """
    if seconds is None:
        seconds = 0.0
    elif isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"warpath.set_timeout takes seconds or None, not {seconds!r}")
    elif not seconds >= 0:
        raise ValueError(f"warpath.set_timeout takes seconds from 0, not {seconds!r}")
    return runtime().simt_set_timeout(seconds) or None


def with_hint(report: str) -> str:
    if " ran longer than " not in report:
        return report
    return f"{report}\n  warpath.set_timeout(SECONDS), or SIMT_TIMEOUT=SECONDS, sets another limit; 0 is none"


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends the kernels that are launched in it, if it would raise KeyboardInterrupt in this thread.

    Python only notes the signal while a kernel runs, and a kernel may run for ever.
    """
    code = runtime()
    begun = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        and code.simt_begin_interruptible()
    )
    try:
        yield
    finally:
        if begun:
            code.simt_end_interruptible()
