"""Leaves the fences out of every rung whose blocks meet through memory: the checks must find each.

    fences.py WARPATH [OP/RUNG...]

The cases of `check --sanitize --brief` are small. This holds them to be large enough for several
blocks to meet: a rung without its __threadfence() that comes out clean was only run with one block.
Its headers count as the rung. Exits with 1 if one is missed.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = "__threadfence();"
INCLUDE = re.compile(r'^#include "((?:ops|core)/[^"]+)"', re.MULTILINE)

# Rungs that need no fence for their results: flag and value are one word (ops/order/look_back.cuh),
# and what the last block sets to zero has been read by then.
NOT_NEEDED = ("ops/order/",)


class Copies:
    """Files without fences, in a folder; a file in which nothing changes is not copied."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made: dict[str, str | None] = {}

    def of(self, name: str) -> str | None:
        if name in self.made:
            return self.made[name]
        self.made[name] = None
        text = (ROOT / name).read_text()
        changed = text.replace(FENCE, "")
        for inner in INCLUDE.findall(text):
            copy = self.of(inner)
            if copy:
                changed = changed.replace(f'#include "{inner}"', f'#include "{copy}"')
        if changed != text:
            path = self.folder / name.replace("/", "_")
            path.write_text(changed)
            self.made[name] = str(path)
        return self.made[name]


def rungs() -> list[str]:
    files = sorted(ROOT.glob("ops/*/*/[0-9a-z]*.cu"))
    names = [str(f.relative_to(ROOT)) for f in files if re.match(r"(\w+_)?\d\d_", f.name)]
    return [n for n in names if not n.startswith(NOT_NEEDED)]


def main() -> None:
    warpath, *wanted = sys.argv[1:]
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        copies = Copies(Path(folder))
        for rung in rungs():
            short = f"{Path(rung).parent.name}/{Path(rung).stem}"
            copy = copies.of(rung)
            if not copy or (wanted and short not in wanted):
                continue
            op = re.search(r"namespace warpath::(\w+)", (ROOT / rung).read_text())[1]
            words = [warpath, "check", op, copy, "--sanitize", "--brief"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            found = "race: " in done.stdout
            print(f"{short}: {'found' if found else 'MISSED'}", flush=True)
            if not found:
                missed.append(short)
                print(done.stdout[-2000:] + done.stderr[-2000:])
    if missed:
        sys.exit(f"not found without their fences: {', '.join(missed)}")


if __name__ == "__main__":
    main()
