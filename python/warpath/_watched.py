"""A learner's Triton twin under watch: what its launcher computes with torch, where its kernels read and write."""

import contextlib
import sys
from collections.abc import Callable, Iterator

import numpy
import torch
from torch.utils._python_dispatch import TorchDispatchMode

# What a launcher may do on every case: allocate, fill, look at memory in another shape.
MEMORY = {
    "empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "zeros", "zeros_like", "new_zeros",
    "full", "full_like", "new_full", "fill_", "zero_", "view", "_unsafe_view", "_reshape_alias", "as_strided", "alias",
    "detach", "expand", "squeeze", "unsqueeze", "slice", "select", "split", "unbind", "lift_fresh",
}  # fmt: skip


class OutOfBounds(Exception):
    """A kernel reads or writes where none of its tensors is."""


class Launcher(TorchDispatchMode):
    """Names the ops of torch that run outside of the kernels, and counts the launches."""

    def __init__(self):
        super().__init__()
        self.ops: set[str] = set()
        self.launches = 0
        self.inside = False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if not self.inside and name not in MEMORY:
            self.ops.add(name)
        return func(*args, **(kwargs or {}))

    @contextlib.contextmanager
    def launch(self) -> Iterator[None]:
        self.launches += 1
        self.inside = True
        try:
            yield
        finally:
            self.inside = False


def _extent(tensor: torch.Tensor) -> tuple[int, int]:
    """The addresses from its first element to past its last."""
    if not tensor.numel():
        return tensor.data_ptr(), tensor.data_ptr()
    last = sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))
    return tensor.data_ptr(), tensor.data_ptr() + (last + 1) * tensor.element_size()


def _tensors(name: str, given) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(given, torch.Tensor):
        yield name, given
    elif isinstance(given, (tuple, list)):
        for i, part in enumerate(given):
            yield from _tensors(f"{name}[{i}]", part)


class Memory:
    """The tensors of the launch that is running, and who wrote which address last."""

    def __init__(self, file: str):
        self.file = file
        self.tensors: list[tuple[str, torch.Tensor, int, int]] = []
        self.writes: list[tuple[numpy.ndarray, tuple[int, int, int], str]] = []

    def enter(self, names: list[str], args: tuple, kwargs: dict) -> None:
        given = [*zip(names, args, strict=False), *kwargs.items()]
        self.tensors = [(n, t, *_extent(t)) for name, a in given for n, t in _tensors(name, a)]

    def line(self) -> str:
        """Of the learner's file, in the kernel that runs now."""
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return "" if frame is None else f"line {frame.f_lineno}"

    def touch(self, what: str, builder, pointers: numpy.ndarray, mask, size: int) -> None:
        at = pointers[numpy.broadcast_to(mask, pointers.shape)] if mask is not None else pointers
        at = numpy.asarray(at, dtype=numpy.uint64).reshape(-1)
        if at.size == 0:
            return
        good = numpy.zeros(at.shape, dtype=bool)
        for _, _, begin, end in self.tensors:
            good |= (at >= begin) & (at + numpy.uint64(size) <= end)
        if not good.all():
            raise OutOfBounds(self._say(what, builder, int(at[~good][0])))
        if what == "writes":
            self.writes.append((at, builder.grid_idx, self.line()))

    def _say(self, what: str, builder, address: int) -> str:
        where, program = self.line(), _program(builder.grid_idx)
        # The tensor that lies nearest.
        near = min(self.tensors, key=lambda t: max(t[2] - address, address - t[3], 0), default=None)
        if near is None:
            return f"{where}: {what} memory of no tensor, {program}"
        name, tensor, begin, end = near
        element = (address - begin) // tensor.element_size()
        side = "past the end" if address >= end else "before the start"
        count = (end - begin) // tensor.element_size()
        return f"{where}: {what} {side} of '{name}': element {element} of {count}, {program}"

    def writer(self, address: int) -> str:
        """Which program wrote an address last; empty: none did."""
        for at, program, line in reversed(self.writes):
            if (at == numpy.uint64(address)).any():
                return f"written last by {_program(program)}, {line}"
        return ""


def _program(index: tuple[int, int, int]) -> str:
    return f"program ({', '.join(map(str, index))})"


@contextlib.contextmanager
def _replaced(home, **made: Callable) -> Iterator[None]:
    """Functions of a class by ones that take them as their first argument."""
    kept = {name: getattr(home, name) for name in made}
    for name, function in made.items():
        original = kept[name]
        setattr(home, name, lambda *a, _f=function, _o=original, **k: _f(_o, *a, **k))
    try:
        yield
    finally:
        for name, original in kept.items():
            setattr(home, name, original)


@contextlib.contextmanager
def watching(file: str) -> Iterator[tuple[Launcher, Memory | None]]:
    """While it lasts, launches are counted; by Triton's interpreter, accesses are watched too. What torch allocates
    holds NaN, so that no answer is there by chance."""
    from triton.runtime.interpreter import InterpretedFunction, InterpreterBuilder
    from triton.runtime.jit import JITFunction

    launcher, memory = Launcher(), Memory(file)

    def run(original, self, *args, **kwargs):
        with launcher.launch():
            memory.enter(self.arg_names, args, kwargs)
            return original(self, *args, **kwargs)

    def size(pointers) -> int:
        return max(1, pointers.get_element_ty().primitive_bitwidth // 8)

    def load(original, self, pointers, mask, *rest):
        memory.touch("reads", self, pointers.data, mask.data, size(pointers))
        return original(self, pointers, mask, *rest)

    def store(original, self, pointers, value, mask, *rest):
        memory.touch("writes", self, pointers.data, mask.data, size(pointers))
        return original(self, pointers, value, mask, *rest)

    def swap(original, self, pointers, *rest):
        memory.touch("writes", self, pointers.data, None, size(pointers))
        return original(self, pointers, *rest)

    def change(original, self, kind, pointers, value, mask, *rest):
        memory.touch("writes", self, pointers.data, mask.data, size(pointers))
        return original(self, kind, pointers, value, mask, *rest)

    accesses = {
        "create_masked_load": load,
        "create_masked_store": store,
        "create_atomic_cas": swap,
        "create_atomic_rmw": change,
    }
    filled = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        with contextlib.ExitStack() as stack:
            for kind in (InterpretedFunction, JITFunction):
                stack.enter_context(_replaced(kind, run=run))
            stack.enter_context(_replaced(InterpreterBuilder, **accesses))
            stack.enter_context(launcher)
            yield launcher, memory
    finally:
        torch.use_deterministic_algorithms(filled)
