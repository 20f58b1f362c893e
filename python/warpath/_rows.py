"""The libraries that `warpath compare` has a row for, each as something to call on one case."""

import functools
import importlib.util
from collections.abc import Callable

import torch

from warpath import _folders, _twins
from warpath._cases import CaseData
from warpath._contract import Op

# What simt gets through in seconds.
MOST_BY_SIMT = 1 << 24
MOST_FLOPS_BY_SIMT = 1e10


class CannotRun(RuntimeError):
    """Why a row is empty, in words."""


def peer(op: Op, library: str):
    """OP_torch, OP_torch_cudnn, OP_numpy or OP_onnx of the op's peers.py."""
    peers, where = _folders.module(op, "peers"), _folders.words(op, "peers.py")
    if peers is None:
        raise CannotRun(f"there is no {where} that says how")
    found = getattr(peers, f"{op.name}_{library}", None)
    if found is None:
        raise CannotRun(f"{where} has no {op.name}_{library}")
    return found


def onnx_body(op: Op, case_data: CaseData) -> str:
    """The op in ONNX's text form; a function makes it from the scalars and the names of the tensors given."""
    body = peer(op, "onnx")
    given = {name for name, tensor in case_data.inputs.items() if tensor is not None}
    return body if isinstance(body, str) else body(case_data.scalars, given)


def needs(package: str, title: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise CannotRun(f"{title} is not installed: pip install {package}")


def gpu() -> bool:
    return torch.cuda.is_available()


def _device() -> str:
    return "cuda" if gpu() else "cpu"


class Row:
    """One library. `prepare` gives what runs the case and returns torch tensors, or raises CannotRun.

    Where `in_place`, that is a functools.partial of the op's arguments, in which an op finds what it has changed.
    """

    name = ""
    on_gpu = False  # where there is one
    takes_lists = True  # of tensors
    in_place = True  # can run an op that changes its arguments

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        raise NotImplementedError

    def has(self, op: Op) -> bool:
        """Whether a table of this op has the row where nobody asks for it."""
        return True

    def not_timed(self) -> str:
        """Why this row has no time here; empty when it has one."""
        return "" if self.on_gpu == gpu() else "on the CPU: not timed against a GPU"


def refuse(row: Row, op: Op) -> None:
    """What no row of this kind can do, whatever the case."""
    if op.takes_lists and not row.takes_lists:
        raise CannotRun("takes no lists of tensors")
    if not op.functional and not row.in_place:
        raise CannotRun("changes no arguments in place")


class Warpath(Row):
    name = "Warpath"
    on_gpu = True

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        if not op.rungs("cuda" if gpu() else "simt"):
            raise CannotRun("no library for this device is built")
        arguments = list(case_data.arguments(_device()))
        return functools.partial(op.overload, *arguments, **case_data.scalars)

    def not_timed(self) -> str:
        return "" if gpu() else "by simt: a CPU's time says nothing about a GPU"


class Eager(Row):
    name = "PyTorch"

    @property
    def on_gpu(self) -> bool:
        return gpu()

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        arguments = list(case_data.arguments(_device()))
        return functools.partial(peer(op, "torch"), *arguments, **case_data.scalars)


class Cudnn(Eager):
    """For ops that torch has by cuDNN beside its own kernels."""

    name = "PyTorch, cuDNN"

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        function, arguments = peer(op, "torch_cudnn"), list(case_data.arguments(_device()))
        if not gpu():
            raise CannotRun("needs an NVIDIA GPU")
        return functools.partial(function, *arguments, **case_data.scalars)

    def has(self, op: Op) -> bool:
        return hasattr(_folders.module(op, "peers"), f"{op.name}_torch_cudnn")


class Compiled(Eager):
    name = "torch.compile"

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        arguments = list(case_data.arguments(_device()))
        function = peer(op, "torch")
        compiled = torch.compile(functools.partial(function, **case_data.scalars), dynamic=False)
        return functools.partial(compiled, *arguments)


class Triton(Row):
    name = "Triton"
    on_gpu = True

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        try:
            twin = _twins.find(op)
        except _twins.Missing as why:
            raise CannotRun(str(why)) from None
        return functools.partial(twin, *case_data.arguments(_device()), **case_data.scalars)

    def not_timed(self) -> str:
        return "" if gpu() else "by Triton's interpreter"


class Numpy(Row):
    name = "numpy"
    in_place = False

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        function = peer(op, "numpy")
        arguments = [_arrays(t) for t in case_data.arguments()]

        def run():
            result = function(*arguments, **case_data.scalars)
            results = result if isinstance(result, tuple) else (result,)
            return tuple(torch.as_tensor(r) for r in results)

        return run


def _array(tensor: torch.Tensor | None):
    if tensor is not None and tensor.dtype == torch.bfloat16:
        raise CannotRun("numpy has no bfloat16")
    return None if tensor is None else tensor.numpy()


def _arrays(given: torch.Tensor | list[torch.Tensor] | None):
    return [_array(t) for t in given] if isinstance(given, list) else _array(given)


class OnnxRuntime(Row):
    name = "ONNX Runtime"
    takes_lists = in_place = False

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        needs("onnx", "ONNX")
        needs("onnxruntime", "ONNX Runtime")
        from warpath import _onnx

        body = onnx_body(op, case_data)
        return _onnx.session(op, case_data, body)


class OnnxWarpath(Row):
    name = "ONNX Runtime, our op"
    takes_lists = in_place = False

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        needs("onnx", "ONNX")
        needs("onnxruntime", "ONNX Runtime")
        from warpath import _onnx

        if case_data.case.elements > MOST_BY_SIMT or case_data.flops > MOST_FLOPS_BY_SIMT:
            raise CannotRun("by simt, and this case is too large for it: name a smaller one")
        return _onnx.session(op, case_data, _onnx.our_node(op, case_data), with_ours=True)

    def not_timed(self) -> str:
        return "by simt: a CPU's time says nothing about a GPU"


class WebGpu(Row):
    name = "WebGPU"
    takes_lists = in_place = False
    on_gpu = True

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        path = _folders.file(op, f"{op.folder}.wgsl")
        if path is None:
            raise CannotRun(f"there is no {_folders.words(op, f'{op.folder}.wgsl')}")
        needs("wgpu", "wgpu")
        from warpath import _webgpu

        return _webgpu.prepare(op, case_data, path.read_text())

    def not_timed(self) -> str:
        return "checked only: its times come from another clock"


class TensorRt(Row):
    name = "TensorRT"
    takes_lists = in_place = False
    on_gpu = True

    def prepare(self, op: Op, case_data: CaseData) -> Callable:
        if not gpu():
            raise CannotRun("needs an NVIDIA GPU")
        needs("tensorrt", "TensorRT")
        needs("onnx", "ONNX")
        from warpath import _tensorrt

        body = onnx_body(op, case_data)
        return _tensorrt.prepare(op, case_data, body)


ROWS: tuple[Row, ...] = (
    Warpath(),
    Eager(),
    Cudnn(),
    Compiled(),
    Triton(),
    OnnxRuntime(),
    OnnxWarpath(),
    WebGpu(),
    TensorRt(),
    Numpy(),
)
