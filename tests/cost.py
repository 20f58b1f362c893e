"""What the tests cost: seconds of building and testing by op and by step, from the logs of Ninja and CTest.

    cost.py BUILD_FOLDER [--all] [--check]

A step of the build is one compiler on one core, so its seconds are CPU seconds; a test may use every core. Without --all
only the most expensive are shown. With --check an op over its budget is named, and one over twice its budget is an error.
The budget of an op is a number of seconds per rung and wrong kernel, from budget.json; an op that needs more has a
budget.json of its own that says why.
Machines differ, and so does how many steps share a core: seconds are scaled by the time that the files of core and harness
took here. What is left is the noise of a shared machine, up to half of a step's time: hence twice.
"""

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEFAULT = json.loads((ROOT / "tests/budget.json").read_text())
SHOWN = 12
FAILS = 2.0  # of the budget


def step_of(output: str, ops: set[str]) -> tuple[str, str]:
    """The op or part that a build product belongs to, and the step that made it."""
    for pattern, step in (
        (r"simt-objects/(\w+?)_(?:rungs_|parts_|wrong_)?simt/", "plain"),
        (r"simt-objects/(\w+?)_(?:rungs_|parts_|wrong_)?checked/", "checked"),
        (r"ptx/(\w+?)_(?:wrong_)?ptx/", "PTX"),
        (r"CMakeFiles/(\w+)_host\.dir/", "host"),
        (r"CMakeFiles/(\w+?)_(?:rungs_|parts_|wrong_)?cuda_\w+\.dir/", "CUDA"),
    ):
        found = re.search(pattern, output)
        if found and found[1] in ops:
            return found[1], step
    for part in ("simt/tests", "simt", "harness", "cli", "python", "tests", "core"):
        if output.startswith((f"{part}/", f"lib/{part}")):
            return part, "build"
    return "other", "build"


def folder_of_test(name: str, declared: dict[str, str]) -> tuple[str, str]:
    found = re.match(r"(ops|sanitize)\.(\w+)", name)
    if found and found[2] in declared:
        return declared[found[2]], "tests"
    if re.match(r"(Program|Conformance|Bug|Right|Checked|simt_|Driver|Translate|Split|Ptx)", name):
        return "simt/tests", "tests"
    return ("python" if name.startswith("python.") else "tests"), "tests"


def read_costs(build: Path) -> dict[str, dict[str, float]]:
    folders = {
        path.stem: path for path in ROOT.glob("ops/*/*/*.h") if path.stem == path.parent.name
    }
    declared = {
        op: path.stem
        for path in folders.values()
        for op in re.findall(r'\bop = "(\w+)"', path.read_text())
    }
    cost: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    last: dict[str, float] = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        start, end, _, output, *_ = line.split("\t")
        # An output is logged by its path from the build folder, and by its whole path where it has a list of dependencies.
        last[output.removeprefix(f"{build}/")] = (
            int(end) - int(start)
        ) / 1000  # a later line is a later run
    for output, seconds in last.items():
        who, step = step_of(output, set(folders))
        cost[who][step] += seconds
    log = build / "Testing/Temporary/CTestCostData.txt"
    for line in log.read_text().splitlines() if log.exists() else []:
        if line == "---":
            break
        name, _, seconds = line.rsplit(maxsplit=2)  # a name may have spaces
        who, step = folder_of_test(name, declared)
        cost[who][step] += float(seconds)
    return {who: dict(steps) for who, steps in cost.items()}


def budget_of(folder: Path) -> tuple[float, str]:
    """The budget in seconds, and how it is computed."""
    own = folder / "budget.json"
    said = json.loads(own.read_text()) if own.exists() else DEFAULT
    kernels = len(list(folder.glob("*[0-9][0-9]_*.cu")) + list(folder.glob("wrong/*.cu")))
    each = said["seconds_per_kernel"]
    return each * kernels, f"{each:g} s for each of {kernels} kernels"


def over_budget(cost: dict, scale: float) -> list[tuple[float, str]]:
    """The ops over their budget: how many times it, and a line about it."""
    found = []
    for header in sorted(ROOT.glob("ops/*/*/*.h")):
        if header.stem != header.parent.name or header.stem not in cost:
            continue
        spent = sum(cost[header.stem].values()) / scale
        allowed, how = budget_of(header.parent)
        if spent > allowed:
            over = f"{header.stem}: {spent:.0f} s, {spent - allowed:.0f} over its {allowed:.0f} ({how})"
            found.append((spent / allowed, over))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if not (args.build / ".ninja_log").exists():
        print(
            f"warpath: nothing was built in {args.build} yet; ./warpath test builds and tests",
            file=sys.stderr,
        )
        return 2
    cost = read_costs(args.build.resolve())
    yardstick = sum(cost.get(part, {}).get("build", 0) for part in ("core", "harness"))
    scale = yardstick / DEFAULT["yardstick_seconds"] if yardstick else 1
    steps = sorted({step for each in cost.values() for step in each})
    print(f"\ncost in seconds ({scale:.2f} of the reference machine's)")
    print(f"  {'':14}{'all':>8}" + "".join(f"{step:>9}" for step in steps))
    ranked = sorted(cost.items(), key=lambda item: -sum(item[1].values()))
    for who, each in ranked if args.all else ranked[:SHOWN]:
        cells = "".join(f"{each[step]:9.0f}" if step in each else f"{'':9}" for step in steps)
        print(f"  {who:14}{sum(each.values()):8.0f}{cells}")
    if not args.all and len(ranked) > SHOWN:
        print(f"  and {len(ranked) - SHOWN} more: ./warpath test --cost")
    if not args.check:
        return 0
    over = over_budget(cost, scale)
    for times, line in over:
        print(f"  {'FAILED, ' if times > FAILS else ''}over budget: {line}")
    if not over:
        print("  every op is within its budget")
    return 1 if any(times > FAILS for times, _ in over) else 0


if __name__ == "__main__":
    sys.exit(main())
