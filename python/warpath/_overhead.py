"""What a call costs the host: the bare launch of an empty kernel, our ops, PyTorch's way to do the same.

Each call is timed by itself on the host's clock and nothing waits for the GPU, except for a wait every
`TOGETHER` calls outside the timed part, so that the queue is never full. The lines take turns, so that a clock or a
cache that warms up favours none. Without a GPU the tensors have no elements, so that nothing runs and the rest is the
host's part.
"""

import argparse
import ctypes
import functools
import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from warpath import _rows
from warpath._contract import DTYPES, Op

CALLS, TOGETHER, ROUNDS = 2000, 200, 10
SIZE = 128  # of each dimension, on a GPU


def _bare(device: torch.device, calls: int) -> list[float]:
    """Microseconds of single launches, taken in C++ beside the kernel."""
    code = ctypes.CDLL(str(Path(__file__).parent / "runtime_cuda.so"))
    code.warpath_bare_launches.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
    code.warpath_bare_launches.argtypes += [ctypes.POINTER(ctypes.c_double)]
    code.warpath_bare_launches.restype = ctypes.c_char_p
    times = (ctypes.c_double * calls)()
    stream = torch.cuda.current_stream(device).cuda_stream
    for _ in range(2):  # the first is the warm-up
        error = code.warpath_bare_launches(stream, calls, TOGETHER, times)
        if error is not None:
            raise RuntimeError(f"warpath: the empty kernel: {error.decode()}")
    return list(times)


def _calls(run: Callable, calls: int, wait: Callable) -> list[float]:
    for _ in range(TOGETHER):
        run()
    wait()
    times, clock = [], time.perf_counter_ns
    for i in range(calls):
        begin = clock()
        run()
        times.append((clock() - begin) / 1e3)
        if i % TOGETHER == TOGETHER - 1:
            wait()
    return times


def _inputs(op: Op, device: torch.device) -> list[torch.Tensor]:
    """What must be given, every dimension small; of no elements where there is no GPU."""
    size = SIZE if device.type == "cuda" else 0
    outputs = {o.name: o.dtypes for o in op.outputs}
    dtypes: dict[str, str] = {}
    tensors = []
    for t in op.tensors:
        if t.optional:
            continue
        dtypes[t.name] = dtypes.get(t.same_as) or (t.dtypes or outputs[t.same_as])[0]
        shape = [(size if dim.name else 0) + dim.plus for dim in t.dims]
        tensors.append(torch.zeros(shape, dtype=DTYPES[dtypes[t.name]], device=device))
    return tensors


def _runs(ops: list[Op], device: torch.device) -> Iterator[tuple[str, Callable]]:
    """For each op: torch.ops, our function, and PyTorch's way where the op's folder says it."""
    import warpath

    for op in ops:
        if op.takes_lists:  # its cost depends on how many tensors there are
            continue
        given = _inputs(op, device)
        for name, function in (
            (f"torch.ops.warpath.{op.name}", getattr(torch.ops.warpath, op.name)),
            (f"warpath.{op.name}", getattr(warpath, op.name)),
        ):
            run = functools.partial(function, *given)
            if device.type == "cuda" or _takes_nothing(run):
                yield name, run
        try:
            run = functools.partial(_rows.peer(op, "torch"), *given)
        except _rows.CannotRun:
            continue
        if device.type == "cuda" or _takes_nothing(run):
            yield f"{op.name} by PyTorch", run


def _takes_nothing(run: Callable) -> bool:
    """Whether it can be called with tensors of no elements. A sum over everything has a result even then, and some refuse."""
    try:
        run()
    except (RuntimeError, IndexError, ZeroDivisionError):
        return False
    return True


def measure(ops: list[Op], calls: int = CALLS) -> dict:
    on_gpu = torch.cuda.is_available()
    device = torch.device("cuda", torch.cuda.current_device()) if on_gpu else torch.device("cpu")
    wait = torch.cuda.synchronize if on_gpu else lambda: None
    with torch.no_grad():
        lines = dict(_runs(ops, device))
        times: dict[str, list[float]] = {"bare launch": []} if on_gpu else {}
        times |= {name: [] for name in lines}
        each = -(-calls // ROUNDS)
        for _ in range(ROUNDS):
            if on_gpu:
                times["bare launch"] += _bare(device, each)
            for name, run in lines.items():
                times[name] += _calls(run, each, wait)
    bare = statistics.median(times["bare launch"]) if on_gpu else None
    rows = [_row(name, sorted(taken), bare) for name, taken in times.items()]
    what = "small tensors, no wait for the GPU" if on_gpu else "tensors of no elements, no launch"
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "CPU",
        "torch": torch.__version__,
        "method": f"host time of a call, median of {each * ROUNDS} in {ROUNDS} rounds, {what}",
        "rows": rows,
    }


def _row(name: str, times: list[float], bare: float | None) -> dict:
    median = statistics.median(times)
    low, high = times[len(times) // 5], times[len(times) * 4 // 5]
    over = None if bare is None or name == "bare launch" else median - bare
    return {"name": name, "median_us": median, "p20_us": low, "p80_us": high, "over_bare_us": over}


def main(arguments: list[str], ops: dict[str, Op]) -> int:
    parser = argparse.ArgumentParser(prog="python -m warpath overhead", description=__doc__)
    parser.add_argument("op", nargs="*", help="ops, as softmax; default: all")
    parser.add_argument("--calls", type=int, default=CALLS, help=f"default {CALLS}")
    parser.add_argument("--json", action="store_true", help="the same as data")
    given = parser.parse_args(arguments)
    if given.calls < 1:
        parser.error("--calls takes a number above 0")
    unknown = [name for name in given.op if name not in ops]
    if unknown:
        parser.error(f"there is no op '{unknown[0]}'; there are: {', '.join(sorted(ops))}")
    told = measure([ops[name] for name in given.op or ops], given.calls)
    if given.json:
        print(json.dumps(told, indent=1))
        return 0
    print(f"{told['device']}, torch {told['torch']}: {told['method']}\n")
    print(f"  {'':32}{'median':>12}{'p20':>8}{'p80':>8}{'over bare':>12}")
    for row in told["rows"]:
        over = "" if row["over_bare_us"] is None else f"{row['over_bare_us']:.2f} us"
        numbers = f"{row['median_us']:9.2f} us{row['p20_us']:8.2f}{row['p80_us']:8.2f}"
        print(f"  {row['name']:32}{numbers}{over:>12}".rstrip())
    return 0
