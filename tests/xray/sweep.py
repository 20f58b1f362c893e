"""Every rung of every op through xray, on one small case each: a table to read the lessons by.

sweep.py WARPATH ROOT [--op OP ...] [--json FILE] [--jobs N]
"""

import argparse
import concurrent.futures
import json
import re
import subprocess
import sys
from pathlib import Path

RUNG = re.compile(r"^(?:(?P<ladder>[a-z][a-z_]*?)_)?(?P<number>\d\d)_(?P<name>\w+)$")


def ladders(root: Path) -> dict[str, list[Path]]:
    """{"softmax/backward": [backward_01_naive.cu, …]}: the files of each ladder, from the bottom up."""
    found: dict[str, list[Path]] = {}
    for file in sorted(root.glob("ops/*/*/*.cu")):
        match = RUNG.match(file.stem)
        if match:
            found.setdefault(f"{file.parent.name}/{match['ladder'] or ''}", []).append(file)
    return found


def label(file: Path) -> str:
    return f"{file.parent.name}/{file.stem}"


def xray(warpath: str, root: Path, rung: Path, on: dict | None = None) -> dict:
    """`on`: the case and the type, {"case": "4096", "dtype": "f16"}; else those that xray chooses."""
    command = [warpath, "xray", str(rung), "--no-registers", "--json"]
    for what, value in (on or {}).items():
        command += [f"--{what}", value]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=False)
    if done.returncode != 0:
        return {"error": (done.stdout + done.stderr).strip()}
    return json.loads(done.stdout)


def row(rung: str, x: dict) -> str:
    if "error" in x:
        return f"{rung:38} {x['error'].splitlines()[-1][:90] if x['error'] else 'failed'}"
    k = x["key"]
    ratio = k["bytes_moved"] / k["bytes_least"] if k["bytes_least"] else 0
    conflicts = 100 * k["bank_conflicts"] / k["wavefronts"] if k["wavefronts"] else 0
    waste = "; ".join(f"{w['kind']} {100 * w['share']:.0f}%" for w in x["waste"][:3])
    return (
        f"{rung:38} {k['bytes_moved']:>12.0f} {ratio:6.2f}x {k['sectors_per_request']:5.1f} ({k['least_sectors_per_request']:4.1f})"
        f" {conflicts:4.0f}% {k['barriers']:7.1f}  {waste}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("warpath")
    parser.add_argument("root", type=Path)
    parser.add_argument("--op", action="append", default=[])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    rungs = [
        file
        for files in ladders(args.root.resolve()).values()
        for file in files
        if not args.op or file.parent.name in args.op
    ]
    print(
        f"{'rung':38} {'bytes moved':>12} {'least':>7} sectors (least) confl. barriers  largest wastes"
    )
    kept, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for rung, x in zip(rungs, pool.map(lambda r: xray(args.warpath, args.root, r), rungs)):
            print(row(label(rung), x), flush=True)
            failed += "error" in x
            x.pop("counts", None)
            kept[label(rung)] = x
    if args.json:
        args.json.write_text(json.dumps(kept, indent=1))
    print(f"{len(rungs)} rungs, {failed} could not be counted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
