"""Any .cu file from Python: `k = warpath.load("vec_add.cu")`, then `k.vec_add[grid, block](a, b, c, n)`."""

import contextlib
import ctypes
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from warpath import _arguments, _build, _limits
from warpath._arguments import Parameter, Refused


class KernelError(RuntimeError):
    """A launch was refused, a kernel faulted, or the checks found something; the text is the report.

    `error` is CUDA's name of the error, "" for a finding; `findings` what the checks found, as data.
    """

    def __init__(self, text: str, error: str = "", findings: list | None = None):
        super().__init__(text)
        self.error = error
        self.findings = findings or []


class _Library:
    """An opened library and the functions of warpath_kernel.h in it."""

    # The checks and the counts take each other's place in a process: which one is loaded.
    watch = ""

    def __init__(self, path: Path, backend: str, check: bool, xray: bool = False):
        self.on_gpu = backend == "cuda"
        self.check, self.xray = check, xray
        wanted = "check" if check else "xray" if xray else ""
        if wanted and _Library.watch not in ("", wanted):
            raise RuntimeError(
                f"warpath.load: {_Library.watch}=True was used in this process; {wanted}=True needs one of its own"
            )
        _Library.watch = wanted or _Library.watch
        if not self.on_gpu:
            _limits.runtime()  # it sets how long kernels may run
        self.code = code = ctypes.CDLL(str(path))
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        code.warpath_allocate.argtypes = [size, ctypes.POINTER(pointer)]
        code.warpath_free.argtypes = [pointer]
        code.warpath_copy_in.argtypes = code.warpath_copy_out.argtypes = [pointer, pointer, size]
        code.warpath_error_name.restype = code.warpath_error_text.restype = ctypes.c_char_p
        if not self.on_gpu:
            code.simt_take_reports.restype = ctypes.c_char_p
            code.simt_keep_reports()
        if check:
            code.simt_check_take_findings.restype = ctypes.c_char_p
            code.simt_check_name.argtypes = [pointer, ctypes.c_char_p]
        if xray:
            code.simt_xray_take.restype = ctypes.c_char_p
            code.simt_xray_keep()  # for Kernels.counts, not for a file

    def signature(self, index: int) -> list[dict]:
        function = getattr(self.code, f"warpath_signature_{index}")
        function.restype = ctypes.c_char_p
        return json.loads(function())

    def describe(self, error: int) -> tuple[str, str]:
        name = self.code.warpath_error_name(error).decode()
        return name, self.code.warpath_error_text(error).decode()

    def must(self, error: int, kernel: str) -> None:
        if error:
            name, text = self.describe(error)
            raise KernelError(f"{kernel}: {name}: {text}", name)


class _Copies:
    """The caller's memory on simt's device: ranges that overlap become one, so that aliases stay."""

    def __init__(self, library: _Library, kernel: str):
        self.library, self.kernel = library, kernel
        self.wanted: list[tuple[int, int, bool, str]] = []  # begin, end, written, name
        self.made: list[tuple[int, int, bool, int, int]] = []  # begin, end, written, device, block

    def add(self, tensor: torch.Tensor, p: Parameter) -> None:
        begin = tensor.data_ptr()
        end = begin + tensor.numel() * tensor.element_size()
        if end > begin:
            self.wanted.append((begin, end, not p.const, p.name))

    def copy_in(self) -> None:
        merged: list[list] = []
        for begin, end, written, name in sorted(self.wanted):
            if merged and begin < merged[-1][1]:
                last = merged[-1]
                last[1], last[2] = max(last[1], end), last[2] or written
            else:
                merged.append([begin, end, written, name])
        code, must = self.library.code, self.library.must
        for begin, end, written, name in merged:
            block, shift = ctypes.c_void_p(), begin % 256  # alignment as the caller's memory has it
            must(code.warpath_allocate(end - begin + shift, ctypes.byref(block)), self.kernel)
            device = block.value + shift
            self.made.append((begin, end, written, device, block.value))
            must(code.warpath_copy_in(device, begin, end - begin), self.kernel)
            if self.library.check:
                code.simt_check_name(device, name.encode())

    def address(self, tensor: torch.Tensor) -> int:
        at = tensor.data_ptr()
        for begin, end, _, device, _ in self.made:
            if begin <= at < end:
                return device + at - begin
        return 0

    def copy_out(self) -> None:
        for begin, end, written, device, _ in self.made:
            if written:
                error = self.library.code.warpath_copy_out(begin, device, end - begin)
                self.library.must(error, self.kernel)

    def free(self) -> None:
        for *_, block in self.made:
            self.library.code.warpath_free(block)
        self.made.clear()


def _shape(what: str, given: object) -> list[int]:
    sizes = list(given) if isinstance(given, (tuple, list)) else [given]
    whole = all(isinstance(s, (int, np.integer)) and not isinstance(s, bool) for s in sizes)
    if not 1 <= len(sizes) <= 3 or not whole:
        raise TypeError(f"{what} is {given!r}; it takes a whole number or up to three of them")
    if any(not 0 <= s < 2**32 for s in sizes):
        raise ValueError(f"{what} is {given!r}; its numbers go from 0 to {2**32 - 1}")
    return [int(s) for s in sizes] + [1] * (3 - len(sizes))


class Kernel:
    """One kernel: `kernel[grid, block, shared, stream](arguments)`; shared and stream may be left out."""

    def __init__(self, name: str, names: list[str], library: _Library, index: int):
        self.__name__ = name
        self._library, self._index = library, index
        told = library.signature(index)
        references = [p["type"] for p in told if p["reference"]]
        if references:
            raise TypeError(f"{name} takes a reference ({references[0]}): Python cannot pass one")
        names = names + [""] * (len(told) - len(names))
        parts = [
            Parameter.parse(i, n, t) for i, (n, t) in enumerate(zip(names, told, strict=False))
        ]
        self.parameters = parts
        texts = (f"{p.type} {p.name}" if p.name[0] != "#" else p.type for p in parts)
        self.signature = f"{name}({', '.join(texts)})"
        self.__doc__ = f"{self.signature}\n\nCall it as {name}[grid, block](...)."

    def __repr__(self) -> str:
        return f"<kernel {self.signature}>"

    def __call__(self, *_, **__):
        raise TypeError(
            f"{self.__name__} needs a grid and a block: {self.__name__}[grid, block](...)"
        )

    def __getitem__(self, config):
        config = config if isinstance(config, tuple) else (config,)
        if not 2 <= len(config) <= 4:
            raise TypeError(
                f"{self.__name__} needs a grid and a block: {self.__name__}[grid, block]; shared and stream may follow"
            )
        grid, block, shared, stream = (*config, *(0, None)[len(config) - 2 :])
        if not isinstance(shared, (int, np.integer)) or shared < 0:
            raise TypeError(f"{self.__name__}: the size of shared memory is {shared!r}, not bytes")
        shape = [*_shape("the grid", grid), *_shape("the block", block)]

        def launch(*arguments, **named) -> None:
            self._launch(shape, int(shared), stream, self._in_order(arguments, named))

        return launch

    def _in_order(self, arguments: tuple, named: dict) -> tuple:
        """Arguments given by name, behind those given by position."""
        if not named:
            return arguments
        names = [p.name for p in self.parameters]
        for name in named:
            if name not in names:
                raise TypeError(f"{self.signature} has no parameter '{name}'")
            if name in names[: len(arguments)]:
                raise TypeError(f"{self.signature}: '{name}' is given twice")
        missing = [name for name in names[len(arguments) :] if name not in named]
        if missing:
            raise TypeError(f"{self.signature}: '{missing[0]}' is not given")
        return (*arguments, *(named[name] for name in names[len(arguments) :]))

    def _checked(self, arguments: tuple) -> list[torch.Tensor | bytes | None]:
        if len(arguments) != len(self.parameters):
            raise TypeError(
                f"{self.signature} takes {len(self.parameters)} arguments, not {len(arguments)}"
            )
        values: list[torch.Tensor | bytes | None] = []
        for p, given in zip(self.parameters, arguments, strict=True):
            try:
                if p.pointer:
                    values.append(_arguments.as_tensor(p, given))
                    self._check_device(given)
                else:
                    values.append(_arguments.as_bytes(p, given))
            except Refused as why:
                raise TypeError(f"{self.__name__}: argument '{p.name}' {why}") from None
        return values

    def _check_device(self, given: object) -> None:
        if not isinstance(given, torch.Tensor):
            return
        if self._library.on_gpu and given.device.type != "cuda":
            raise Refused("is on the CPU, but the kernel runs on the GPU: pass .cuda()")
        if not self._library.on_gpu and given.device.type != "cpu":
            raise Refused(f"is on {given.device}, but the kernel runs on this CPU: pass .cpu()")

    def _launch(self, shape: list[int], shared: int, stream, arguments: tuple) -> None:
        values = self._checked(arguments)
        if self._library.on_gpu:
            self._on_gpu(shape, shared, stream, arguments, values)
        else:
            self._on_cpu(shape, shared, values)

    def _call(self, shape: list[int], shared: int, stream: int, cells: list) -> int:
        function = getattr(self._library.code, f"warpath_launch_{self._index}")
        function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
        pointers = (ctypes.c_void_p * max(len(cells), 1))(*(ctypes.addressof(c) for c in cells))
        return function((ctypes.c_uint * 6)(*shape), shared, stream, pointers)

    def _on_cpu(self, shape: list[int], shared: int, values: list) -> None:
        library, code = self._library, self._library.code
        if library.check:
            code.simt_check_take_findings()  # what kernels without checks left there: their errors were raised
        code.simt_take_reports()
        copies = _Copies(library, self.__name__)
        for p, value in zip(self.parameters, values, strict=True):
            if isinstance(value, torch.Tensor):
                copies.add(value, p)
        if library.check or library.xray:
            code.simt_hold_checks()  # an op in another thread pauses them
        try:
            copies.copy_in()
            cells = [_cell(v, copies.address) for v in values]
            with _limits.interruptible():
                error = self._call(shape, shared, 0, cells)
            fault = code.warpath_finish()
            if not error and not fault:
                copies.copy_out()
        except KeyboardInterrupt as raised:
            copies.free()
            if report := self._after_interrupt():
                raise KeyboardInterrupt(report) from None
            raise raised from None
        finally:
            copies.free()
            if library.check or library.xray:
                code.simt_release_checks()
        # Findings first: taking them writes their text among the reports.
        findings = []
        if library.check:
            told = json.loads(code.simt_check_take_findings())
            findings = [f for f in told["findings"] if not f["warning"]]
        report = code.simt_take_reports().decode(errors="replace").strip()
        if fault:
            code.warpath_reset()  # so that the next launch starts clean
        if error or fault:
            name, text = library.describe(fault or error)
            told = f"{self.__name__}: {name}: {text}\n{_limits.with_hint(report)}"
            raise KernelError(told.strip(), name, findings)
        if findings:
            count = f"{len(findings)} finding{'s' if len(findings) > 1 else ''}"
            raise KernelError(f"{self.__name__}: {count} by the checks\n{report}", "", findings)

    def _after_interrupt(self) -> str:
        """Makes the device whole again; returns where the kernel was, "" if it had ended."""
        code = self._library.code
        if code.warpath_finish():
            code.warpath_reset()
        if self._library.check:
            code.simt_check_take_findings()
        report = code.simt_take_reports().decode(errors="replace").strip()
        return report.removeprefix("simt: ")

    def _on_gpu(self, shape: list[int], shared: int, stream, given: tuple, values: list) -> None:
        """Tensors as they are, on the current stream, no wait; arrays go there and back."""
        devices = [v.device for v in given if isinstance(v, torch.Tensor) and v.is_cuda]
        device = devices[0] if devices else torch.device("cuda", torch.cuda.current_device())
        kept = [v.to(device) if isinstance(v, torch.Tensor) else v for v in values]
        with torch.cuda.device(device):
            if stream is None:
                stream = torch.cuda.current_stream()
            handle = getattr(stream, "cuda_stream", stream)
            cells = [_cell(v, torch.Tensor.data_ptr) for v in kept]
            self._library.must(self._call(shape, shared, handle, cells), self.__name__)
        for p, value, there in zip(self.parameters, values, kept, strict=True):
            if there is not value:  # an array's copy: it must be back before this returns
                torch.cuda.synchronize(device)
                if not p.const:
                    value.copy_(there)


def _cell(value: torch.Tensor | bytes | None, address) -> ctypes.Array | ctypes.c_void_p:
    """Memory that holds one argument, for the launch to copy."""
    if isinstance(value, bytes):
        return ctypes.create_string_buffer(value, max(len(value), 1))
    return ctypes.c_void_p(0 if value is None else address(value) or None)


class Kernels:
    """The kernels of a file, by name: k.vec_add, k["ns::vec_add"], k["vec_add<float>"]."""

    def __init__(
        self, source: Path, backend: str, check: bool, options: tuple[str, ...], xray: bool = False
    ):
        if xray:
            options = ("--xray", *options)
        self._source, self._backend, self._check, self._options = source, backend, check, options
        self._xray = xray
        built = _build.build(source, None, backend, check, options)
        self._told = built.kernels
        if not self._told:
            raise ValueError(f"{source.name} has no kernel: no function in it is __global__")
        self._library = library = _Library(built.library, backend, check, xray)
        self._kernels: dict[str, Kernel] = {}
        self._refused: dict[str, str] = {}
        for index, name in enumerate(_build.plain_kernels(self._told)):
            try:
                self._kernels[name] = Kernel(name, self._names(name), library, index)
            except TypeError as why:
                self._refused[name] = str(why)

    def _names(self, name: str) -> list[str]:
        told = next((k for k in self._told if k["name"] == name), None)
        return [p["name"] for p in told["parameters"]] if told else []

    def xray_counts(self) -> dict:
        """What the launches since the last call did to memory, as docs/xray.md lists it; needs xray=True.

        `warpath.xray` of it says where the waste is.
        """
        if not self._xray:
            raise RuntimeError("xray_counts() needs warpath.load(..., xray=True)")
        told = json.loads(self._library.code.simt_xray_take())
        told["launches"] = [x for x in told["launches"] if x["accesses"]]
        return told

    def __repr__(self) -> str:
        return f"<kernels of {self._source.name}: {', '.join(self) or 'none'}>"

    def __iter__(self) -> Iterator[str]:
        """Names; a template with its parameters."""
        for k in self._told:
            yield f"{k['name']}<{k['template']}>" if k["template"] else k["name"]

    def __dir__(self):
        return [*super().__dir__(), *self._kernels]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __getitem__(self, expression: str) -> Kernel:
        if not isinstance(expression, str):
            raise TypeError(
                f'k[{expression!r}]: a kernel has a name, as in k["name"]; k.name[grid, block](…) launches it'
            )
        text = re.sub(r"\s+", " ", expression).strip()
        if text in self._kernels:
            return self._kernels[text]
        if text in self._refused:
            raise TypeError(self._refused[text])
        base = text.split("<", 1)[0].strip()
        matches = [k for k in self._told if k["name"] == base]
        if not matches:
            ends = [k["name"] for k in self._told if k["name"].split("::")[-1] == base]
            if len(set(ends)) == 1 and ends[0] != base:
                return self[ends[0] + text[len(base) :]]
            have = ", ".join(self) or "none"
            raise KeyError(f"{self._source.name} has no kernel '{base}'; it has: {have}")
        if not matches[0]["template"]:
            if len(matches) > 1:
                raise KeyError(
                    f"{self._source.name} has {len(matches)} kernels '{base}'; rename all except one"
                )
            raise KeyError(f"kernel '{base}' is no template: k[\"{base}\"]")
        if "<" not in text:
            one = f"{base}<{matches[0]['template']}>"
            raise KeyError(
                f"kernel '{one}' is a template: name its arguments, as in k[\"{base}<…>\"]"
            )
        try:
            built = _build.build(self._source, text, self._backend, self._check, self._options)
        except _build.CompileError as error:
            raise _build.of_instance(error, text, matches) from None
        library = _Library(built.library, self._backend, self._check, self._xray)
        kernel = Kernel(text, self._names(base), library, 0)
        self._kernels[text] = kernel
        return kernel


def _gpu() -> bool:
    return torch.cuda.is_available() and _build.nvcc() is not None


def load(
    path: str | Path, *, check: bool = False, xray: bool = False, options: list[str] | tuple = ()
) -> Kernels:
    """The kernels of a .cu file: compiled by nvcc where there is a GPU, else for this CPU by simt.

    With check=True they run on this CPU under the checks for out-of-bounds accesses, races, reads of
    what nobody wrote and barriers that not all threads reach: a finding is a KernelError.
    With xray=True they run on this CPU and every access is counted: `xray_counts()` of the result has the
    requests, sectors and bank conflicts of each line. A process has either of the two.
    `options` go to the compiler, as "-DTILE=32". Compiled again only when a text has changed.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"warpath.load takes the path of a .cu file, not {type(path).__name__}")
    source = Path(path)
    if not source.is_file():
        raise FileNotFoundError(f"warpath.load: there is no file {source}")
    if source.suffix != ".cu":
        raise ValueError(f"warpath.load takes a .cu file, not {source.name}")
    if check and xray:
        raise ValueError("warpath.load: check=True and xray=True are two runs")
    backend = "cuda" if not check and not xray and _gpu() else "simt"
    return Kernels(source.resolve(), backend, check, tuple(options), xray)


def load_inline(
    text: str, *, name: str = "cell", check: bool = False, xray: bool = False, options=()
) -> Kernels:
    """The kernels of a text; errors call it NAME.cu."""
    if not isinstance(text, str):
        kind = type(text).__name__
        raise TypeError(f"warpath.load_inline takes CUDA source as a string, not {kind}")
    if not re.fullmatch(r"\w+", name):
        raise ValueError(f"warpath.load_inline: the name {name!r} is no word")
    folder = _build.cache_folder() / f"text-{_build.digest(text, name)}"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.cu"
    with contextlib.suppress(FileExistsError), open(source, "x") as file:
        file.write(text)
    if source.read_text() != text:  # cut short when it was written
        source.write_text(text)
    return load(source, check=check, xray=xray, options=options)
