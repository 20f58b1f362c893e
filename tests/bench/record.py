#!/usr/bin/env python3
"""Runs simt's benchmarks and stores their results for docs/cc.md: record.py PATH/TO/warpath-cc

Writes simt/shapes.json and check/cost.json beside this file. Run it on an idle machine.
"""

import json
import os
import platform
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def machine():
    text = Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*:\s*(.*)", text)
    return f"{name[1] if name else platform.machine()}, {os.cpu_count()} threads"


def output(*command):
    return subprocess.run(
        [str(word) for word in command], check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def save(path, columns, rows, note):
    path.write_text(json.dumps({"columns": columns, "rows": rows, "note": note}, indent=1) + "\n")
    print("wrote", path.relative_to(HERE))


def shapes(cc):
    lines = output(HERE / "simt/run.sh", cc, "--json").splitlines()
    data = [row for row in map(json.loads, lines) if "shape" in row]
    rows = [[row["shape"].strip(), row["plain_ms"], row["kernel_ms"], row["ratio"]] for row in data]
    note = f"{machine()}; median of 7 runs; plain C++ with the same number of threads, g++ -O2."
    save(HERE / "simt/shapes.json", ["kernel", "plain C++ (ms)", "cc (ms)", "ratio"], rows, note)


def cost(cc):
    rows = []
    for line in output(HERE / "check/run.sh", cc).splitlines():
        words = line.split()
        if len(words) == 6 and words[3].endswith("x"):
            rows.append([words[0], float(words[1]), float(words[3][:-1]), float(words[5][:-1])])
    if not rows:
        sys.exit("record.py: check/run.sh printed no rows")
    middle = [statistics.median(row[k] for row in rows) for k in (2, 3)]
    rows.append(["median", "", *middle])
    columns = ["kernel", "plain cc (ms)", "--check, times", "race alone, times"]
    save(HERE / "check/cost.json", columns, rows, f"{machine()}; least of five runs.")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    shapes(sys.argv[1])
    cost(sys.argv[1])


main()
