"""The key counts of every rung, for `warpath run`: cli/counts.json.

counts.py WARPATH ROOT [--op OP ...] [--jobs N]

Counts each rung on the case that xray chooses and writes what `run` shows, with a digest of the rung's source: `run` takes an
entry only as long as the source is that one, and counts the rung itself otherwise. advice_test.py holds the entries to its
readings.
"""

import argparse
import concurrent.futures
import json
import sys
from pathlib import Path

from sweep import ladders, xray

APART = 0.02  # kernels that wait for each other do not read the same number of times in every run


def kept_counts(root: Path) -> dict:
    file = root / "cli/counts.json"
    return json.loads(file.read_text()) if file.exists() else {}


def entry_of(x: dict) -> dict:
    waste = x["waste"][0]["kind"] if x["waste"] else None
    return x["key"] | {"case": x["case"], "waste": waste, "source": x["source"]}


def broken_entry(name: str, x: dict, kept: dict, all_must_be_there: bool) -> list[str]:
    """What is wrong with the entry of a rung, by a reading on the case that xray chooses."""
    op, rung = x["title"].split("/")
    entry, wanted = kept.get(op, {}).get(rung), entry_of(x)
    if entry is None or entry["source"] != wanted["source"]:
        old = "no entry" if entry is None else "an entry of another source"
        return [f"{name}: cli/counts.json has {old}: tests/xray/counts.py"] * all_must_be_there
    return [
        f"{name}: cli/counts.json says {k} {entry[k]}, counted {wanted[k]}"
        for k in wanted
        if entry[k] != wanted[k]
        and not (
            isinstance(wanted[k], (int, float)) and abs(entry[k] - wanted[k]) <= APART * wanted[k]
        )
    ]


def source_lines(kept: dict) -> str:
    """One line for each rung."""
    ops = []
    for op in sorted(kept):
        rungs = [f"  {json.dumps(r)}: {json.dumps(kept[op][r])}" for r in sorted(kept[op])]
        ops.append(f" {json.dumps(op)}: {{\n" + ",\n".join(rungs) + "\n }")
    return "{\n" + ",\n".join(ops) + "\n}\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("warpath")
    parser.add_argument("root", type=Path)
    parser.add_argument("--op", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    root = args.root.resolve()
    kept = kept_counts(root) if args.op else {}  # without rungs that are gone
    files = [f for ladder in ladders(root).values() for f in ladder if not args.op or f.parent.name in args.op]  # fmt: skip
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for file, x in zip(files, pool.map(lambda f: xray(args.warpath, root, f), files)):
            if "error" in x:
                print(f"{file}: {x['error']}")
                failed += 1
                continue
            op, rung = x["title"].split("/")
            kept.setdefault(op, {})[rung] = entry_of(x)
    (root / "cli/counts.json").write_text(source_lines(kept))
    print(f"{len(files)} rungs, {failed} could not be counted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
