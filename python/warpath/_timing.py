"""How rows are timed. On a GPU as the harness does it: warm-up, the L2 cache flushed before each run, CUDA
events, the median. On a CPU: a clock around each run, the median."""

import contextlib
import fcntl
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch


@dataclass(frozen=True)
class Time:
    microseconds: float
    p20: float
    p80: float
    method: str


def _summary(times: list[float], method: str) -> Time:
    times = sorted(times)
    low, high = times[len(times) // 5], times[len(times) * 4 // 5]
    return Time(statistics.median(times), low, high, method)


def on_cpu(run: Callable, seconds: float = 0.2) -> Time:
    run()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 1000):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e6)
    threads = torch.get_num_threads()
    return _summary(
        times, f"median of 3 to 1000 runs, clock, CPU with {threads} of {os.cpu_count()} threads"
    )


_lock_depth = 0


@contextlib.contextmanager
def device_lock() -> Iterator[None]:
    """One process at a time uses the GPU: the lab takes the same lock (harness/device_lock.cpp). A lock inside a lock
    costs nothing."""
    global _lock_depth
    if _lock_depth > 0:
        yield  # closing a second handle of the file would end the lock
        return
    try:
        file = (Path(tempfile.gettempdir()) / "warpath-gpu.lock").open("a")
    except OSError:
        yield
        return
    with file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        _lock_depth += 1
        try:
            yield
        finally:
            _lock_depth -= 1


def on_gpu(run: Callable, seconds: float = 0.2) -> Time:
    """Events around one run, in a queue that is never empty: the flushes before each run keep the GPU busy for longer
    than the host needs to enqueue it, so the host's time does not count. The flushes read, as the lab's do: lines they
    wrote would be written back during the run."""
    with device_lock():
        times = _gpu_samples(run, seconds)
    name = torch.cuda.get_device_name()
    return _summary(times, f"median of 20 to 1000 runs, CUDA events, L2 flushed, {name}")


def _gpu_samples(run: Callable, seconds: float) -> list[float]:
    for _ in range(3):
        run()
    l2 = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    flush = torch.zeros(2 * l2 // 4, dtype=torch.int32, device="cuda")
    flushes = _flushes(run, flush)
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 20 or (time.perf_counter() < end and len(times) < 1000):
        batch = []
        for _ in range(20):
            events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            for _ in range(flushes):
                flush.max()
            events[0].record()
            run()
            events[1].record()
            batch.append(events)
        torch.cuda.synchronize()
        times += [a.elapsed_time(b) * 1e3 for a, b in batch]
    torch.cuda.synchronize()
    return times


def _flushes(run: Callable, flush: torch.Tensor) -> int:
    """How many flushes take twice the host time of one run and its events."""

    def host(call: Callable) -> float:  # of one, in a queue with room
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(10):
            call()
        return (time.perf_counter() - begin) / 10

    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(10):
        flush.max()
    end.record()
    host_s = min(host(run) for _ in range(3))
    torch.cuda.synchronize()
    flush_s = begin.elapsed_time(end) * 1e-4  # milliseconds of ten
    return 1 + int(2 * host_s / max(flush_s, 1e-6))
