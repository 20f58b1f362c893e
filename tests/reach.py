"""Measures that `check OP --sanitize --brief` reaches every line of each rung that all types together reach.

    reach.py OP [--program build/bin/warpath] [--rung NAME ...]

Runs each rung under the checks, in full and with --brief. The checks record each access of a kernel that was executed
(SIMT_CHECK_REACH, see simt/README.md); addr2line gives its source line and, where it was inlined, the lines of the callers.
A line of ops/ or core/ counts as reached when any of its instantiations was, in this rung. Prints for each rung the accesses
(sites) and lines that each run reaches, then the lines that --brief misses; exits with 1 if there is one, with 2 if a run
failed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Line = tuple[str, int]  # path from the root, number


def warpath(program: Path, *words: str, **environment: str) -> dict:
    done = subprocess.run(
        [program, *words, "--json"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout + done.stderr + f"failed: warpath {' '.join(words)}")
        sys.exit(2)
    return json.loads(done.stdout)


def sites_of(program: Path, library: str, *words: str) -> tuple[str, set[str]]:
    """The path of the library and the offsets in it that a run of `check` reaches."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sites"
        file.touch()
        warpath(program, "check", *words, "--sanitize", SIMT_CHECK_REACH=str(file))
        sites = [line.rsplit(" ", 1) for line in file.read_text().splitlines()]
    sites = [(path, offset) for path, offset in sites if Path(path).name == library]
    if not sites:
        print(f"no access of {library} was recorded: warpath check {' '.join(words)}")
        sys.exit(2)
    return sites[0][0], {offset for _, offset in sites}


def lines_of(library: str, offsets: set[str]) -> set[Line]:
    """The lines of ops/ and core/ that the sites belong to: their own, and the calls they were inlined through."""
    said = subprocess.run(
        ["addr2line", "-i", "-e", library],
        input="\n".join(offsets),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = set()
    for text in said.splitlines():
        place, _, number = text.split(" (discriminator")[0].rpartition(":")
        path = os.path.relpath(place, ROOT)
        if path.startswith(("ops/", "core/")) and number.isdigit():
            found.add((path, int(number)))
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("op")
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "bin" / "warpath")
    parser.add_argument("--rung", nargs="+")
    args = parser.parse_args()
    ladders = warpath(args.program, "ops", args.op)["ops"]
    rungs = [(ladder["op"], rung["name"]) for ladder in ladders for rung in ladder["rungs"]]
    library = f"{ladders[0]['folder']}_checked.so"
    missed = []
    print(f"{'':36} sites: full   brief   lines: full   brief  missed")
    for op, rung in rungs:
        if args.rung and rung not in args.rung:
            continue
        # An op that gives its folder the name stands for all ops in it: rungs of one name count together there.
        words = [op, "--rung", rung]
        path, full = sites_of(args.program, library, *words)
        _, brief = sites_of(args.program, library, *words, "--brief")
        lines, brief_lines = lines_of(path, full), lines_of(path, brief)
        new = sorted(lines - brief_lines)
        missed += [(f"{op} {rung}", *line) for line in new]
        print(
            f"{op + ' ' + rung:36} {len(full):11} {len(brief):7} {len(lines):13} {len(brief_lines):7}"
            f" {len(new):7}",
            flush=True,
        )
    for rung, path, number in missed:
        text = (ROOT / path).read_text().splitlines()[number - 1].strip()
        print(f"missed by --brief in {rung}: {path}:{number}: {text}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
