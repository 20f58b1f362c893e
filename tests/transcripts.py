"""Holds what the pages say a command prints against what it prints.

    transcripts.py PROGRAM           1 if a page is stale
    transcripts.py PROGRAM --write   fills in what is printed now

A page marks it: <!-- prints:BEGIN run softmax --backend simt -->, a fenced block, <!-- prints:END -->. Rungs, numbers of
cases and sentences must be the same. Errors may differ in the last digits from CPU to CPU, and with them the case in which
they are largest.
"""

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PART = re.compile(
    r"(<!-- prints:BEGIN (?P<command>[^>]+?) -->\n```\n)(?P<text>.*?)(\n```\n<!-- prints:END -->)",
    re.DOTALL,
)


def gist(text: str) -> list[str]:
    """Lines without the columns of errors; of a rung's line its name, its cases and its verdict."""
    row = re.compile(r"^(  \d\d_\w+ +\d+/\d+) .*? ((?:passed|FAILED).*)$")
    # Whether a rung is counted now or cli/counts.json has it, the counts are the same.
    lines = [line for line in text.splitlines() if "as cli/counts.json has" not in line]
    return [row.sub(r"\1 \2", line) for line in lines if not line.startswith("  rung")]


def printed_by(program: str, command: str) -> str:
    run = [program, *shlex.split(command)]
    done = subprocess.run(run, check=False, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"warpath {command} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout.rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    seen = stale = 0
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        old = page.read_text()
        new = old
        for part in PART.finditer(old):
            seen += 1
            printed = printed_by(args.program, part["command"])
            if gist(part["text"]) == gist(printed):
                continue
            stale += 1
            new = new.replace(part[0], part[1] + printed + part[4])
            print(f"{page.name}: `./warpath {part['command']}` prints now:\n{printed}")
        if args.write and new != old:
            page.write_text(new)
    if not seen:
        print("no page has a transcript")
    return 1 if (stale and not args.write) or not seen else 0


if __name__ == "__main__":
    sys.exit(main())
