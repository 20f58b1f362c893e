"""A kernel that may start before the one in front of it has ended waits for it (core/host/dependent_launch.cuh).

    waiting_kernels.py ROOT

A missing wait is a race between two kernels, which no run on a CPU shows and few on a GPU. So the source is read: in every file
that launches by DependentLaunch, each kernel calls ptx::wait_for_grids_before() itself, before anything but shared memory and
the call that lets the next kernel start; or it only hands over to functions of the file, and each of them calls it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

WAIT, LAUNCH = "ptx::wait_for_grids_before();", "DependentLaunch"
# A definition at the left margin: its head, and its body up to the brace that ends it.
FUNCTION = re.compile(r"^(?=\w)([^;{}#/]*?\w+\([^;{}]*\)) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
BOUNDS = re.compile(r"__launch_bounds__\([^)]*\)")
HARMLESS = re.compile(
    r"(?:extern )?__shared__|float\* const \w+ = |ptx::let_next_grid_start\(\);|constexpr |using "
)


def faults(text: str) -> tuple[int, list[str]]:
    functions = []
    for head, body in FUNCTION.findall(text):
        name = re.search(r"(\w+)\(", BOUNDS.sub("", head))
        functions.append((head, name[1] if name else "", body))
    helpers = {name: body for head, name, body in functions if "__device__" in head}
    kernels = [(name, body) for head, name, body in functions if "__global__" in head]
    found = [] if kernels else ["launches by DependentLaunch, but has no kernel that could be read"]
    for name, body in kernels:
        if WAIT in body:
            before = [line.strip() for line in body.split(WAIT)[0].splitlines()]
            early = [line for line in before if line and not HARMLESS.match(line)]
            found += [f"{name} does this before it waits: {line}" for line in early]
            continue
        called = [h for h in helpers if re.search(rf"\b{h}\(", body)]
        found += [] if called else [f"{name} never waits"]
        found += [f"{name} calls {h}, which never waits" for h in called if WAIT not in helpers[h]]
    return len(kernels), found


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    files = [f for end in ("cu", "cuh") for f in sorted(root.glob(f"ops/**/*.{end}"))]
    files = [f for f in files if LAUNCH in f.read_text()]
    bad, kernels = [], 0
    for file in files:
        count, found = faults(file.read_text())
        kernels += count
        bad += [f"{file.relative_to(root)}: {what}" for what in found]
    print("\n".join([*bad, f"{len(files)} files, {kernels} kernels, {len(bad)} faults"]))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
