"""Builds and runs the project of docs/cpp.md as it is written there. usage: cpp_page.py BUILD_FOLDER"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parent.parent
build = Path(sys.argv[1]).resolve()
page = (root / "docs" / "cpp.md").read_text()


def block(language: str) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(found) == 1, f"docs/cpp.md has {len(found)} blocks of {language}"
    return found[0]


def run(*words: object) -> str:
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{words}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    project = Path(folder)
    (project / "CMakeLists.txt").write_text(block("cmake"))
    (project / "app.cpp").write_text(block("cpp"))
    (project / "warpath").symlink_to(root)
    # The compiler for the CPU is the one that this build has; no GPU is asked for.
    options = ["-G", "Ninja", "-DWARPATH_CUDA=OFF", f"-DWARPATH_TOOLS={build}"]
    run("cmake", "-S", project, "-B", project / "build", *options)
    run("cmake", "--build", project / "build", "-j2")
    said = run(project / "build" / "app").strip()
    promised = re.search(r"It prints `(.*?)`", page).group(1)
    if said != promised:
        sys.exit(f"docs/cpp.md promises {promised!r}, the program says {said!r}")
    wrong = subprocess.run(
        [project / "build" / "app", "gpu"], capture_output=True, text=True, check=False
    )
    if wrong.returncode != 1 or "no backend 'gpu'" not in wrong.stderr:
        sys.exit(f"an unknown backend: {wrong.stderr}")
    absent = subprocess.run(
        [project / "build" / "app", "cuda"], capture_output=True, text=True, check=False
    )
    if absent.returncode != 1 or "backend cuda is not built" not in absent.stderr:
        sys.exit(f"a backend that is not built: {absent.stderr}")
