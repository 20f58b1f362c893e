"""The rung that is chosen for a call is never far behind the best one.

    picking.py FOLDER WARPATH        the repository's folder; the program

Asks the program which rung it chooses for each timed case, and compares its time in the result files with that of the
best rung: 5% more is allowed, or a microsecond, by which launches differ anyway. Times are the 20th percentiles: the
clock of a GPU at its power limit steps between states, and a median falls into one or the other.
"""

import json
import subprocess
import sys
from pathlib import Path

ALLOWED = 1.05
LAUNCH_US = 1.0


def choices_of(program: str, op: str) -> dict[tuple[str, str], str]:
    told = subprocess.run(
        [program, "ops", op, "--json"], capture_output=True, text=True, check=True
    )
    return {
        (case["name"], dtype): rung
        for each in json.loads(told.stdout)["ops"]
        if each["op"] == op
        for case in each["cases"]
        for dtype, rung in case.get("chosen", {}).items()
    }


def main() -> int:
    looked, lost = 0, []
    for path in sorted(Path(sys.argv[1]).glob("ops/*/*/results/*.json")):
        times: dict[str, dict[tuple, dict[str, float]]] = {}
        for record in json.loads(path.read_text())["records"]:
            if record["kind"] == "rung" and record["passed"] and "time_us" in record:
                cases = times.setdefault(record["op"], {})
                rungs = cases.setdefault((record["case"], record["dtype"]), {})
                rungs[record["name"]] = record["time_us"]["p20"]
        for op, cases in times.items():
            choices = choices_of(sys.argv[2], op)
            for key, rungs in cases.items():
                looked += 1
                chosen, best = choices.get(key, "no rung"), min(rungs, key=rungs.get)
                took = rungs.get(chosen, float("inf"))
                ratio = took / rungs[best]
                if ratio > ALLOWED and took > rungs[best] + LAUNCH_US:
                    lost.append(f"{op}, {', '.join(key)}: {chosen} is {ratio:.3f} of {best}")
    print("\n".join([*lost, f"{looked} cases, {len(lost)} where the chosen rung is too slow"]))
    return 1 if lost or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
