"""Holds what README.md says `./warpath run softmax` prints against what it prints.

    first_page.py PROGRAM

Rungs, numbers of cases and sentences must be the same. Errors may differ in the last digits from CPU to CPU, and with
them the case in which they are largest.
"""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def gist(text: str) -> list[str]:
    """Lines without the columns of errors; of a rung's line its name, its cases and its verdict."""
    row = re.compile(r"^(  \d\d_\w+ +\d+/\d+) .*? ((?:passed|FAILED).*)$")
    return [row.sub(r"\1 \2", line) for line in text.splitlines() if not line.startswith("  rung")]


def main() -> int:
    page = re.search(r"```\n(on simt.*?)\n```", README.read_text(), re.DOTALL)[1]
    command = [sys.argv[1], "run", "softmax", "--backend", "simt"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip()
    if gist(page) == gist(printed):
        return 0
    print(f"README.md is stale; `./warpath run softmax --backend simt` prints now:\n{printed}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
