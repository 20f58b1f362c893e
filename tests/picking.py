"""The rung that is chosen for a call is never far behind the best one.

    picking.py FOLDER WARPATH        the repository's folder; the program

Asks the program which rung it chooses for each timed case, and compares its time in the result files with that of the
best rung: 5% more is allowed, or a microsecond, by which launches differ anyway. Times are the 20th percentiles: the
clock of a GPU at its power limit steps between states, and a median falls into one or the other.

Cases that differ in their numbers alone are one to the choice, which sees sizes and types: there the best rung is the
one whose worst case is the least behind. And where the chosen rung gives the same bits in every run, a rung that
does not is no alternative.
"""

import functools
import json
import subprocess
import sys
from pathlib import Path

ALLOWED = 1.05
LAUNCH_US = 1.0


@functools.cache
def choices_of(program: str, op: str) -> dict[tuple[str, str], tuple[str, str]]:
    """By case and type: the chosen rung, and what the choice sees of the case."""
    told = subprocess.run(
        [program, "ops", op, "--json"], capture_output=True, text=True, check=True
    )
    return {
        (case["name"], dtype): (rung, f"{case['what']} {case['lists']} {case['offset']}")
        for each in json.loads(told.stdout)["ops"]
        if each["op"] == op
        for case in each["cases"]
        for dtype, rung in case.get("chosen", {}).items()
    }


def unordered(folder: Path, rung: str) -> bool:
    """Whether a rung of the folder says that its bits differ from run to run."""
    return any(".deterministic = false" in f.read_text() for f in folder.glob(f"*{rung}.cu"))


def behind(rung: str, cases: list[dict[str, float]]) -> tuple[float, float]:
    """By how much a rung is behind the best one, at worst: the ratio, and the microseconds."""
    ratios = [(c.get(rung, float("inf")) / min(c.values()), min(c.values())) for c in cases]
    ratio, best = max(ratios)
    return ratio, (ratio - 1) * best


def main() -> int:
    looked, lost = 0, []
    for path in sorted(Path(sys.argv[1]).glob("ops/*/*/results/*.json")):
        # By op, then by what the choice sees, then by case.
        times: dict[str, dict[tuple, dict[str, dict[str, float]]]] = {}
        for record in json.loads(path.read_text())["records"]:
            if record["kind"] == "rung" and record["passed"] and "time_us" in record:
                key = (record["case"], record["dtype"])
                chosen, what = choices_of(sys.argv[2], record["op"]).get(key, ("no rung", ""))
                seen = (what, record["dtype"], chosen)
                cases = times.setdefault(record["op"], {}).setdefault(seen, {})
                rungs = cases.setdefault(record["case"], {})
                rungs[record["name"]] = record["time_us"]["p20"]
        for op, groups in times.items():
            for (_, dtype, chosen), cases in groups.items():
                looked += len(cases)
                folder = path.parent.parent
                same_bits = not unordered(folder, chosen)
                compared = [
                    {r: t for r, t in c.items() if not (same_bits and unordered(folder, r))}
                    for c in cases.values()
                ]
                names = {rung for c in compared for rung in c}
                best = min(names, key=lambda rung: behind(rung, compared))
                ratio, us = behind(chosen, compared)
                least, _ = behind(best, compared)
                if ratio / least > ALLOWED and us > LAUNCH_US:
                    lost.append(
                        f"{op}, {' and '.join(cases)}, {dtype}: {chosen} is {ratio:.3f} of {best}"
                    )
    print("\n".join([*lost, f"{looked} cases, {len(lost)} where the chosen rung is too slow"]))
    return 1 if lost or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
