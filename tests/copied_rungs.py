"""A rung copied to another folder is the same program: no include depends on where the file is.

    copied_rungs.py ROOT

Every rung and wrong kernel is preprocessed twice, in its folder and as a copy in an empty folder, with only -IROOT (and the
CUDA headers of simt). Both texts must be the same.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

RUNG = re.compile(r"(?:\w*_)?\d\d_\w+\.cu")


def preprocessed(file: Path, root: Path) -> tuple[str, str]:
    """The text without line markers and without the file's own name, and the errors."""
    done = subprocess.run(
        [os.environ.get("CXX", "c++"), "-E", "-P", "-std=c++20", "-x", "c++", "-D__CUDACC__"]
        + [f"-I{root}", "-isystem", root / "simt" / "include", file],
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stderr.strip() or f"exit status {done.returncode}"
    return done.stdout.replace(str(file), "FILE"), said if done.returncode else ""


def difference(file: Path, root: Path, folder: Path) -> str:
    copy = folder / str(file.relative_to(root)).replace("/", ".") / "mine.cu"
    copy.parent.mkdir()
    shutil.copy(file, copy)
    (here, wrong), (there, wrong_there) = preprocessed(file, root), preprocessed(copy, root)
    if wrong or wrong_there:
        return (wrong or wrong_there).split("\n")[0]
    return "" if here == there else "another text as a copy"


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    files = [f for f in sorted(root.glob("ops/*/*/*.cu")) if RUNG.fullmatch(f.name)]
    files += sorted(root.glob("ops/*/*/wrong/*.cu"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda f: difference(f, root, Path(folder)), files))
    bad = [f"{file.relative_to(root)}: {what}" for file, what in zip(files, found) if what]
    print("\n".join([*bad, f"{len(files)} files, {len(bad)} that differ"]))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
