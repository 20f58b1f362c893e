"""A rung copied to another folder is the same program: no include depends on where the file is.

    copied_rungs.py ROOT

An include in quotes is looked for beside the file first. In every rung and wrong kernel it must name a file from ROOT, and
there must be none of that name beside the kernel. What a header includes does not depend on who includes the header.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

RUNG = re.compile(r"(?:\w*_)?\d\d_\w+\.cu")
INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*(.*)$|__has_include[ \t]*\(([^)]*)\)", re.MULTILINE
)


def faults(file: Path, root: Path) -> list[str]:
    found = []
    for directive, asked in INCLUDE.findall(file.read_text()):
        what = (directive or asked).strip()
        quoted = re.match(r'"([^"]+)"', what)
        if what.startswith("<"):
            continue
        if not quoted:
            found.append(f"includes {what}, which is no name")
        elif (file.parent / quoted[1]).exists():
            found.append(f'"{quoted[1]}" is found beside it')
        elif not (root / quoted[1]).is_file():
            found.append(f'"{quoted[1]}" is no path from the root')
    return found


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    files = [f for f in sorted(root.glob("ops/*/*/*.cu")) if RUNG.fullmatch(f.name)]
    files += sorted(root.glob("ops/*/*/wrong/*.cu"))
    bad = [f"{file.relative_to(root)}: {what}" for file in files for what in faults(file, root)]
    print("\n".join([*bad, f"{len(files)} files, {len(bad)} includes that depend on the folder"]))
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
