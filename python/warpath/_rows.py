"""The libraries that `warpath compare` has a row for, each as something to call on one problem."""

import functools
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import torch

from warpath import _twins
from warpath._contract import Op
from warpath._problems import Problem

# What simt gets through in seconds.
MOST_BY_SIMT = 1 << 24
MOST_FLOPS_BY_SIMT = 1e10


class CannotRun(RuntimeError):
    """Why a row is empty, in words."""


@functools.cache
def _peers(folder: str):
    path = _twins.FOLDER / folder / "peers.py"
    if not path.exists():
        raise CannotRun(f"there is no ops/{folder}/peers.py that says how")
    spec = importlib.util.spec_from_file_location(f"warpath_peers_{folder}", path.resolve())
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # torch.compile looks its globals up by that name
    spec.loader.exec_module(module)
    return module


def peer(op: Op, library: str):
    """OP_torch, OP_numpy or OP_onnx of the op's peers.py."""
    found = getattr(_peers(op.folder), f"{op.name}_{library}", None)
    if found is None:
        raise CannotRun(f"ops/{op.folder}/peers.py has no {op.name}_{library}")
    return found


def onnx_body(op: Op, problem: Problem) -> str:
    """The op in ONNX's text form; a function makes it from the scalars and the names of the tensors given."""
    body = peer(op, "onnx")
    given = {name for name, tensor in problem.inputs.items() if tensor is not None}
    return body if isinstance(body, str) else body(problem.scalars, given)


def needs(package: str, title: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise CannotRun(f"{title} is not installed: pip install {package}")


def gpu() -> bool:
    return torch.cuda.is_available()


def _device() -> str:
    return "cuda" if gpu() else "cpu"


class Row:
    """One library. `prepare` gives what runs the problem and returns torch tensors, or raises CannotRun."""

    name = ""
    on_gpu = False  # where there is one

    def prepare(self, op: Op, problem: Problem) -> Callable:
        raise NotImplementedError

    def not_timed(self) -> str:
        """Why this row has no time here; empty when it has one."""
        return "" if self.on_gpu == gpu() else "on the CPU: not timed against a GPU"


class Warpath(Row):
    name = "Warpath"
    on_gpu = True

    def prepare(self, op: Op, problem: Problem) -> Callable:
        if not op.rungs["cuda" if gpu() else "simt"]:
            raise CannotRun("no library for this device is built")
        arguments = list(problem.arguments(_device()))
        return functools.partial(op.overload, *arguments, **problem.scalars)

    def not_timed(self) -> str:
        return "" if gpu() else "by simt: a CPU's time says nothing about a GPU"


class Eager(Row):
    name = "PyTorch"

    @property
    def on_gpu(self) -> bool:
        return gpu()

    def prepare(self, op: Op, problem: Problem) -> Callable:
        arguments = list(problem.arguments(_device()))
        return functools.partial(peer(op, "torch"), *arguments, **problem.scalars)


class Compiled(Eager):
    name = "torch.compile"

    def prepare(self, op: Op, problem: Problem) -> Callable:
        arguments = list(problem.arguments(_device()))
        function = peer(op, "torch")
        compiled = torch.compile(functools.partial(function, **problem.scalars), dynamic=False)
        return functools.partial(compiled, *arguments)


class Triton(Row):
    name = "Triton"
    on_gpu = True

    def prepare(self, op: Op, problem: Problem) -> Callable:
        try:
            twin = _twins.find(op)
        except _twins.Missing as why:
            raise CannotRun(str(why)) from None
        return functools.partial(twin, *problem.arguments(_device()), **problem.scalars)

    def not_timed(self) -> str:
        return "" if gpu() else "by Triton's interpreter"


class Numpy(Row):
    name = "numpy"

    def prepare(self, op: Op, problem: Problem) -> Callable:
        function = peer(op, "numpy")
        arguments = [_array(t) for t in problem.arguments()]

        def run():
            result = function(*arguments, **problem.scalars)
            results = result if isinstance(result, tuple) else (result,)
            return tuple(torch.as_tensor(r) for r in results)

        return run


def _array(tensor: torch.Tensor | None):
    if tensor is not None and tensor.dtype == torch.bfloat16:
        raise CannotRun("numpy has no bfloat16")
    return None if tensor is None else tensor.numpy()


class OnnxRuntime(Row):
    name = "ONNX Runtime"

    def prepare(self, op: Op, problem: Problem) -> Callable:
        needs("onnx", "ONNX")
        needs("onnxruntime", "ONNX Runtime")
        from warpath import _onnx

        body = onnx_body(op, problem)
        return _onnx.session(op, problem, body)


class OnnxWarpath(Row):
    name = "ONNX Runtime, our op"

    def prepare(self, op: Op, problem: Problem) -> Callable:
        needs("onnx", "ONNX")
        needs("onnxruntime", "ONNX Runtime")
        from warpath import _onnx

        if problem.case.elements > MOST_BY_SIMT or problem.flops > MOST_FLOPS_BY_SIMT:
            raise CannotRun("by simt, and this case is too large for it: name a smaller one")
        return _onnx.session(op, problem, _onnx.our_node(op, problem), with_ours=True)

    def not_timed(self) -> str:
        return "by simt: a CPU's time says nothing about a GPU"


class WebGpu(Row):
    name = "WebGPU"
    on_gpu = True

    def prepare(self, op: Op, problem: Problem) -> Callable:
        path = _twins.FOLDER / op.folder / f"{op.folder}.wgsl"
        if not path.exists():
            raise CannotRun(f"there is no ops/{op.folder}/{op.folder}.wgsl")
        needs("wgpu", "wgpu")
        from warpath import _webgpu

        return _webgpu.prepare(op, problem, Path(path).read_text())

    def not_timed(self) -> str:
        return "checked only: its times come from another clock"


class TensorRt(Row):
    name = "TensorRT"
    on_gpu = True

    def prepare(self, op: Op, problem: Problem) -> Callable:
        if not gpu():
            raise CannotRun("needs an NVIDIA GPU")
        needs("tensorrt", "TensorRT")
        needs("onnx", "ONNX")
        from warpath import _tensorrt

        body = onnx_body(op, problem)
        return _tensorrt.prepare(op, problem, body)


ROWS: tuple[Row, ...] = (
    Warpath(),
    Eager(),
    Compiled(),
    Triton(),
    OnnxRuntime(),
    OnnxWarpath(),
    WebGpu(),
    TensorRt(),
    Numpy(),
)
