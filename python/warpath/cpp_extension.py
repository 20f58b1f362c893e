"""torch.utils.cpp_extension with and without a GPU.

With one, load and load_inline are torch's own. Without one the sources go through `warpath cc`, with
torch's headers, and the functions take CPU tensors: what asks whether a tensor is on a GPU is told yes.
"""

import ctypes
import functools
import importlib.util
import inspect
import json
import re
import shutil
import sys
import sysconfig
import tempfile
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

from warpath import _build, _limits
from warpath._load import KernelError

__all__ = ["load", "load_inline"]

_SHIMS = _build.INCLUDE / "torch_on_cpu"
_USES_TORCH = re.compile(r'^\s*#\s*include\s*[<"](torch|ATen|c10)/', re.MULTILINE)
_USES_MORE = re.compile(r"torch::(nn|optim|data|jit|serialize|autograd|fft|linalg|special)\b")


def load(name: str, sources, **options):
    """What torch.utils.cpp_extension.load takes and gives."""
    if torch.cuda.is_available():
        from torch.utils import cpp_extension

        return cpp_extension.load(name, sources, **options)
    paths = [
        Path(s).resolve() for s in ([sources] if isinstance(sources, (str, Path)) else sources)
    ]
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(f"{name}: there is no source {path}")
    return _load_on_cpu(name, paths, **_known(name, load.__name__, options))


def load_inline(name: str, cpp_sources, cuda_sources=None, functions=None, **options):
    """What torch.utils.cpp_extension.load_inline takes and gives."""
    if torch.cuda.is_available():
        from torch.utils import cpp_extension

        return cpp_extension.load_inline(
            name, cpp_sources, cuda_sources, functions=functions, **options
        )
    known = _known(name, load_inline.__name__, options)
    parts = [[s] if isinstance(s, str) else list(s or []) for s in (cpp_sources, cuda_sources)]
    text = "\n".join(["#include <torch/extension.h>", *parts[0], *parts[1]])
    if functions is not None:
        text += "\n" + _bindings(functions)
    folder = _build.cache_folder() / f"text-{_build.digest(text, name)}"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{name}.cu"
    if not source.exists() or source.read_text() != text:
        source.write_text(text)
    return _load_on_cpu(name, [source], **known)


def _bindings(functions) -> str:
    named = [functions] if isinstance(functions, str) else functions
    named = named if isinstance(named, dict) else {f: f for f in named}
    lines = [f"  m.def({json.dumps(f)}, &{f}, {json.dumps(d)});" for f, d in named.items()]
    return "\n".join(["PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}\n"])


# What torch's functions take that means nothing here.
_IGNORED = {"verbose", "with_cuda", "keep_intermediates", "with_pytorch_error_handling", "use_pch"}
_IGNORED |= {"extra_sycl_cflags", "sycl_sources", "with_sycl", "no_implicit_headers"}


def _known(name: str, function: str, options: dict) -> dict:
    wanted = inspect.signature(_load_on_cpu).parameters
    for option in options:
        if option not in wanted and option not in _IGNORED:
            raise TypeError(f"{name}: {function} does not know the option '{option}' without a GPU")
    return {k: v for k, v in options.items() if k in wanted}


def _load_on_cpu(
    name: str,
    sources: list[Path],
    *,
    extra_cflags=None,
    extra_cuda_cflags=None,
    extra_ldflags=None,
    extra_include_paths=None,
    build_directory=None,
    is_python_module: bool = True,
    is_standalone: bool = False,
):
    if is_standalone:
        raise ValueError(f"{name}: is_standalone=True makes a program; use `warpath cc` for that")
    extra = [extra_include_paths] if isinstance(extra_include_paths, str) else extra_include_paths
    includes = [f"-I{folder}" for folder in extra or []]
    commands = [
        [
            *_compile(s),
            *includes,
            *((extra_cuda_cflags if s.suffix == ".cu" else extra_cflags) or []),
        ]
        for s in sources
    ]
    torch_folder = Path(torch.__file__).parent
    link = [f"-L{torch_folder}/lib", "-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python"]
    link += extra_ldflags or []
    tools = (_build.stamp(_build.simt_compiler()), torch.__version__, sys.version)
    texts = [s.read_bytes() for s in sources]
    key = _build.digest(name, repr(commands), repr(link), *tools, *texts)
    folder = Path(build_directory) if build_directory else _build.cache_folder() / f"ext-{name}"
    library = _built(folder / key, name, sources, commands, link)
    if not is_python_module:
        torch.ops.load_library(library)
        return library
    return _guarded(_imported(name, library))


def _compile(source: Path) -> list:
    text = source.read_text(errors="replace")
    flags = ["-std=c++20", "-O1", "-Xcompiler", "-fPIC,-fvisibility=hidden", f"-I{_SHIMS}"]
    if _USES_TORCH.search(text):
        # First of all: whichever of torch's headers comes later finds its work done.
        flags += ["-include", "torch/extension.h"]
        headers = Path(torch.__file__).parent / "include"
        for folder in (headers, headers / "torch/csrc/api/include", sysconfig.get_path("include")):
            flags += ["-isystem", folder]
    if _USES_MORE.search(text):
        flags.append("-DWARPATH_WHOLE_TORCH")
    return [_build.simt_compiler(), "-c", source, *flags]


def _built(entry: Path, name: str, sources: list[Path], commands: list, link: list) -> Path:
    """The extension's file; made unless it is there and no header of its own has changed."""
    library = entry / f"{name}.so"
    try:
        files = json.loads((entry / "files.json").read_text())
    except (OSError, ValueError):
        files = None
    if files is not None and library.exists() and _build.unchanged(files):
        return library
    entry.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="building-", dir=entry.parent))
    try:
        objects = [work / f"{i}-{s.stem}.o" for i, s in enumerate(sources)]
        define = f"-DTORCH_EXTENSION_NAME={name}"

        def one(source: Path, command: list, to: Path) -> None:
            depends = ["-MMD", "-MF", to.with_suffix(".d")]
            _build.run([*command, define, *depends, "-o", to], source.name, source.parent)

        with ThreadPoolExecutor(2) as pool:  # each wants a gigabyte
            list(pool.map(one, sources, commands, objects))
        linked = [_build.simt_compiler(), "-shared", *objects, *link, "-o", work / f"{name}.so"]
        _build.run(linked, name, work)
        headers = set().union(*(_depends(o.with_suffix(".d")) for o in objects))
        (work / "files.json").write_text(json.dumps(_build.digests(headers)))
        for made in objects:
            made.unlink()
        shutil.rmtree(entry, ignore_errors=True)
        try:
            work.rename(entry)
        except OSError:  # another process was quicker
            if not library.exists():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return library


def _depends(rule: Path) -> set[str]:
    words = rule.read_text().replace("\\\n", " ").split()
    return {w for w in words if not w.endswith(":")}


def _imported(name: str, library: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, library)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _guarded(module: types.ModuleType) -> types.ModuleType:
    """Every function waits for its kernels; a fault in one is a KernelError, and the next call works."""
    code = _limits.runtime()

    def guard(name: str, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            try:
                try:
                    with _limits.interruptible():
                        result = function(*args, **kwargs)
                except KeyboardInterrupt:
                    raise
                except BaseException:
                    finish(name)
                    raise
                finish(name)
                return result
            except KeyboardInterrupt as raised:
                if report := recovered()[2]:
                    raise KeyboardInterrupt(report.removeprefix("simt: ")) from None
                raise raised from None

        return call

    def recovered() -> tuple[str, str, str]:
        """The error's name and its text, "" for none, and the reports; the next call starts clean."""
        text = ctypes.c_char_p()
        error = code.warpath_recover(ctypes.byref(text))
        report = code.simt_take_reports().decode(errors="replace").strip()
        return (error.decode(), text.value.decode(), report) if error else ("", "", report)

    def finish(name: str) -> None:
        error, text, report = recovered()
        if error:
            told = f"{module.__name__}.{name}: {error}: {text}\n{_limits.with_hint(report)}"
            raise KernelError(told.strip(), error)

    for name, value in list(vars(module).items()):
        if inspect.isbuiltin(value):
            setattr(module, name, guard(name, value))
    return module
