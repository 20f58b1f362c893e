#!/usr/bin/env python3
"""The first sentence of xray for a rung is about what its next rung removes: advice.json.

    advice_test.py WARPATH ROOT [--all] [--op OP]

advice.json has an entry for a rung that has a next one: [kind, what the next rung does], or {"instead": kind, "why": reason}
where xray's first sentence is about something else. Rungs that nobody has read with xray yet are named in not_read.json,
each with the reason; any other rung without an entry is an error. Without --all only rungs of a few ops are run.

claims.json has what lessons say about bytes: the words, which must be in the op's README, and what the lanes of all global
loads ask for by them, as a multiple of the bytes that the op must move.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import sys
from pathlib import Path

from sweep import label, ladders, xray

here = Path(__file__).resolve().parent

# One ladder for each kind of waste.
QUICK = ("transpose", "vector_add", "reduce", "softmax")


def wanted_kind(entry):
    return entry["instead"] if isinstance(entry, dict) else entry[0]


def missing_entries(root, advice):
    """Rungs with a next one that advice.json does not have, and entries of rungs that are not there."""
    with_next = {label(f): f for files in ladders(root).values() for f in files[:-1]}
    unread = json.loads((here / "not_read.json").read_text())
    missing = [
        f"{name}: neither advice.json nor not_read.json has it"
        for name in with_next
        if name not in advice and not any(fnmatch.fnmatch(name, u) for u in unread)
    ]
    stale = [f"{name}: has no next rung, but an entry" for name in advice if name not in with_next]
    empty = [
        f"{name}: no reason"
        for name, e in advice.items()
        if isinstance(e, dict) and len(e.get("why", "")) < 10
    ]
    stale += [f"{name}: in not_read.json, but it has an entry" for name in unread if name in advice]
    empty += [f"{name}: not read, and no reason" for name, why in unread.items() if len(why) < 10]
    return missing + stale + empty, with_next


def missing_words(root, claims, files):
    """Claims whose words the lesson does not have."""
    missing = []
    for name, claim in claims.items():
        if name not in files:
            missing.append(f"{name}: in claims.json, but no rung with a next one")
        elif claim["says"] not in " ".join((files[name].parent / "README.md").read_text().split()):
            missing.append(f"{name}: the lesson does not say '{claim['says']}' (claims.json)")
    return missing


def broken_claim(name, x, claim):
    """What the lesson says about bytes against what is counted; 7% are for scalars, flags and the like."""
    asked = sum(
        a["bytes_asked"]
        for launch in x["counts"]["launches"]
        if launch["kernel"] != "difference_kernel"  # of the harness
        for a in launch["accesses"]
        if a["space"] == "global" and a["kind"] in ("load", "async_load", "bulk_load")
    )
    loads = asked / x["key"]["bytes_least"]
    if abs(loads - claim["loads"]) <= 0.07 * claim["loads"]:
        return []
    return [f"{name}: the lesson says '{claim['says']}', {claim['loads']}x the least ({claim['why']}); counted: {loads:.2f}x"]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("warpath")
    parser.add_argument("root", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--op", action="append", default=[])
    args = parser.parse_args()
    root = args.root.resolve()
    advice = json.loads((here / "advice.json").read_text())
    claims = json.loads((here / "claims.json").read_text())
    failures, files = missing_entries(root, advice)
    failures += missing_words(root, claims, files)
    ops = args.op or (None if args.all else QUICK)
    chosen = {
        n: f for n, f in files.items() if n in advice and (ops is None or f.parent.name in ops)
    }
    if not args.all and not args.op:
        chosen = {n: f for n, f in chosen.items() if isinstance(advice[n], list)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda f: xray(args.warpath, root, f), chosen.values())
        for name, x in zip(chosen, found):
            if "error" in x:
                failures.append(f"{name}: {x['error']}")
                continue
            if name in claims:
                failures += broken_claim(name, x, claims[name])
            got = x["waste"][0]["kind"] if x["waste"] else "none"
            kind = wanted_kind(advice[name])
            print(f"{'ok' if got == kind else 'WRONG'}  {name}: {got}")
            if got != kind:
                said = x["waste"][0]["sentence"] if x["waste"] else ""
                failures.append(f"{name}: {got}, not {kind} ({advice[name]}). It says: {said}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
