"""The rung that is picked for a call, the highest that takes it, is never far behind the best one.

    picking.py FOLDER        of the repository

Reads every result file of the ops: for each timed case the picked rung's time may exceed the best rung's by 5% at most.
"""

import json
import sys
from pathlib import Path

ALLOWED = 1.05


def main() -> int:
    looked, lost = 0, []
    for path in sorted(Path(sys.argv[1]).glob("ops/*/results/*.json")):
        times: dict[tuple, dict[str, float]] = {}
        for record in json.loads(path.read_text())["records"]:
            if record["kind"] == "rung" and record["passed"] and "time_us" in record:
                key = record["op"], record["case"], record["dtype"]
                times.setdefault(key, {})[record["name"]] = record["time_us"]["median"]
        for key, rungs in times.items():
            looked += 1
            picked, best = max(rungs), min(rungs, key=rungs.get)
            ratio = rungs[picked] / rungs[best]
            if ratio > ALLOWED:
                lost.append(f"{path.name}: {', '.join(key)}: {picked} is {ratio:.3f} of {best}")
    print("\n".join([*lost, f"{looked} cases, {len(lost)} where the picked rung is too slow"]))
    return 1 if lost or not looked else 0


if __name__ == "__main__":
    sys.exit(main())
