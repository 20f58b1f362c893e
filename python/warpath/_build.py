"""From a .cu file to a library: by `warpath cc` for this CPU, by nvcc for a GPU; kept until a source changes.

The cache is ~/.cache/warpath, or what WARPATH_CACHE names. An entry's name is a hash of the text, the
options and the compiler; it lists every file that was included, with a hash of each.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
INCLUDE = _HERE.resolve() / "include"


class CompileError(RuntimeError):
    """The compiler's own words about a .cu file."""


@dataclass(frozen=True)
class Built:
    """A library and what `warpath cc --list-kernels` said of its source."""

    library: Path
    kernels: list[dict]


def of_instance(error: CompileError, text: str, kernels: list[dict]) -> CompileError:
    """Where the compiler only says that the template takes no such arguments, that in one line.

    Anything else, such as an error inside of the kernel, is the compiler's to tell.
    """
    said = [line for line in str(error).splitlines() if ": error: " in line]
    if not said or any("WARPATH_KERNEL" not in _after(str(error), line) for line in said):
        return error
    takes = " or ".join(f"{k['name']}<{k['template']}>" for k in kernels)
    unknown = [re.search(r"‘(.+?)’ was not declared", line) for line in said]
    names = ", ".join(f"'{m[1]}' is not declared in the file" for m in unknown if m)
    return CompileError(f"{text} does not fit {takes}{': ' if names else ''}{names}")


def _after(text: str, line: str) -> str:
    """The source line that the compiler shows below its message."""
    return text.split(line, 1)[1].lstrip("\n").split("\n", 1)[0]


def cache_folder() -> Path:
    given = os.environ.get("WARPATH_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "warpath"


def simt_compiler() -> Path:
    """warpath-cc: of the build folder this package lies in, or of the wheel. WARPATH_CC names another."""
    given = os.environ.get("WARPATH_CC")
    beside = [Path(given)] if given else [_HERE / "simt" / "bin", _HERE.resolve().parent / "bin"]
    build = (_HERE / "lib").resolve().parent  # a link into the build folder, in a source tree
    for folder in [*beside, build / "bin"]:
        for program in (folder, folder / "warpath-cc"):
            if program.is_file() and os.access(program, os.X_OK):
                return program
    raise RuntimeError(
        "warpath: warpath-cc is not built: run `./warpath python` again, or name it in WARPATH_CC"
    )


def nvcc() -> Path | None:
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    found = shutil.which("nvcc") or shutil.which("nvcc", path=f"{home}/bin")
    return Path(found) if found else None


def digest(*parts: str | bytes) -> str:
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(len(data).to_bytes(8, "little") + data)
    return state.hexdigest()[:24]


def run(command: list, what: str, folder: Path) -> str:
    """The program's output; CompileError with all it said when it fails, its folder left out."""
    words = [str(word) for word in command]
    done = subprocess.run(words, check=False, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        if "cannot run the C++ compiler" in done.stderr:
            compiler = os.environ.get("CXX") or "g++"
            fix = "install it (on Debian: apt install g++) or name another in CXX"
            raise RuntimeError(
                f"warpath: {what} needs a C++20 compiler and '{compiler}' is not here: {fix}"
            )
        said = "\n".join(text for text in (done.stdout.strip(), done.stderr.strip()) if text)
        raise CompileError(f"{what} does not compile:\n{said}".replace(f"{folder}/", ""))
    return done.stdout


def stamp(program: Path) -> str:
    state = program.stat()
    return f"{program} {state.st_size} {state.st_mtime_ns}"


def unchanged(files: dict[str, str]) -> bool:
    try:
        return all(digest(Path(name).read_bytes()) == known for name, known in files.items())
    except OSError:
        return False


def digests(names) -> dict[str, str]:
    return {name: digest(Path(name).read_bytes()) for name in names if Path(name).is_file()}


def _wrapper(source: Path, expressions: list[str]) -> str:
    lines = [f'#include "{source}"', '#include "warpath_kernel.h"']
    lines += [f"WARPATH_KERNEL({i}, {e})" for i, e in enumerate(expressions)]
    return "\n".join(lines) + "\n"


def plain_kernels(kernels: list[dict]) -> list[str]:
    """Those that a name alone calls: no templates, no overloads."""
    names = [k["name"] for k in kernels]
    return [k["name"] for k in kernels if not k["template"] and names.count(k["name"]) == 1]


def _command(backend: str, check: bool, options: tuple[str, ...]) -> list:
    if backend == "cuda":
        compiler = nvcc()
        if compiler is None:
            raise RuntimeError("warpath: there is a GPU but no nvcc: install the CUDA toolkit")
        flags = ["-O3", "-lineinfo", "-arch=native", "-Xcompiler", "-fPIC"]
        return [compiler, "-shared", "-std=c++20", *flags, *options]
    return [simt_compiler(), "-shared", "-std=c++20", *(["--check"] if check else []), *options]


def build(
    source: Path,
    instance: str | None,
    backend: str,
    check: bool,
    options: tuple[str, ...] = (),
) -> Built:
    """The library of every plain kernel of the file, or of one instance of a template."""
    source = source.resolve()
    text = source.read_bytes()
    command = _command(backend, check, options)
    tools = [stamp(Path(command[0])), stamp(simt_compiler()), stamp(INCLUDE / "warpath_kernel.h")]
    key = digest(str(source), text, repr(command), instance or "", *tools)
    entry = cache_folder() / f"{source.stem}-{key}"
    known = _read(entry)
    if known is not None:
        return known
    entry.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="building-", dir=entry.parent))
    try:
        _fill(work, source, instance, command, options)
        shutil.rmtree(entry, ignore_errors=True)  # of files that have changed since
        try:
            work.rename(entry)
        except OSError:  # another process was quicker with the same text
            if not entry.exists():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    known = _read(entry)
    if known is None:
        raise RuntimeError(f"warpath: {source} changed while it was compiled; load it again")
    return known


def _read(entry: Path) -> Built | None:
    try:
        told = json.loads((entry / "kernels.json").read_text())
    except (OSError, ValueError):
        return None
    if not unchanged(told["files"]):
        return None
    return Built(entry / told["library"], told["kernels"])


def _fill(
    work: Path, source: Path, instance: str | None, command: list, options: tuple[str, ...]
) -> None:
    """Lists the kernels, then compiles the file with what launches them."""
    folders = [o for o in options if o.startswith(("-I", "-D", "-U"))]
    listed = run(
        [simt_compiler(), "--list-kernels", "-std=c++20", *folders, source],
        source.name,
        source.parent,
    )
    told = json.loads(listed)
    files = digests(told["files"])
    expressions = [instance] if instance else plain_kernels(told["kernels"])
    wrapper = work / source.name  # the same name: line tables may know a kernel by this one's
    wrapper.write_text(_wrapper(source, expressions))
    # A name of its own: the loader takes a library of the same name for the same.
    library = f"{source.stem}-{digest(repr(sorted(files.items())), instance or '')}.so"
    run(
        [*command, wrapper, f"-I{INCLUDE}", "-o", work / library],
        instance or source.name,
        source.parent,
    )
    wrapper.unlink()
    told = {"library": library, "kernels": told["kernels"], "files": files}
    (work / "kernels.json").write_text(json.dumps(told, indent=1))
