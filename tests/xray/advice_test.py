#!/usr/bin/env python3
"""The first sentence of xray for a rung is about what its next rung removes: advice.json.

    advice_test.py WARPATH ROOT [--all] [--op OP]

advice.json has an entry for a rung that has a next one: [kind, what the next rung does], or {"instead": kind, "why": reason}
where xray's first sentence is about something else. Rungs that nobody has read with xray yet are named in not_read.json,
each with the reason; any other rung without an entry is an error. Without --all only rungs of a few ops are run; with it all
rungs, the last of each ladder too: they must be counted.

claims.json has what lessons say about bytes, coalescing and bank conflicts: the words, which must be in the op's README,
and what follows from them (see `counted`). With --all every claim is held to the counts, else those about the rungs that
are run anyway and about a few quick ones.
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
QUICK_CLAIMS = ("matrix_add/01_row_by_x", "fused_elementwise/01_four_kernels", "noise/01_naive")


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
    return missing + stale + empty


def missing_words(claims, files):
    """Claims whose words the lesson does not have."""
    missing = []
    for name, claim in claims.items():
        if name not in files:
            missing.append(f"{name}: in claims.json, but no rung")
        elif not claim.keys() & MEASURES:
            missing.append(f"{name}: claims.json says nothing that is counted")
        elif claim["says"] not in " ".join((files[name].parent / "README.md").read_text().split()):
            missing.append(f"{name}: the lesson does not say '{claim['says']}' (claims.json)")
    return missing


def counted(x):
    """What claims are about: what the lanes of all global loads or stores ask for, as a multiple of the bytes that the op
    must move; sectors or wavefronts per request, of the access with the most; the share of wavefronts that are conflicts.
    """
    launches = x["counts"]["launches"]
    accesses = [a for one in launches if one["kernel"] != "difference_kernel" for a in one["accesses"]]  # fmt: skip
    loads = [a for a in accesses if a["space"] == "global" and a["kind"].endswith("load")]
    stores = [a for a in accesses if a["space"] == "global" and a["kind"].endswith("store")]
    shared = [a for a in accesses if a["space"] == "shared"]
    least, wavefronts = x["key"]["bytes_least"], x["key"]["wavefronts"]

    def most(some, what):
        return max((a[what] / a["requests"] for a in some if a["requests"]), default=0)

    return {
        "loads": sum(a["bytes_asked"] for a in loads) / least,
        "stores": sum(a["bytes_asked"] for a in stores) / least,
        "load_sectors": most(loads, "sectors"),
        "store_sectors": most(stores, "sectors"),
        "wavefronts": most(shared, "wavefronts"),
        "conflicts": x["key"]["bank_conflicts"] / wavefronts if wavefronts else 0,
    }


MEASURES = {"loads", "stores", "load_sectors", "store_sectors", "wavefronts", "conflicts"}


def broken_claim(name, x, claim):
    """What the lesson says against what is counted; 7% are for scalars, flags and the like."""
    found = counted(x)
    return [
        f"{name}: the lesson says '{claim['says']}', {what} {claim[what]} ({claim['why']}); counted: {found[what]:.2f}"
        for what in sorted(MEASURES & claim.keys())
        if abs(found[what] - claim[what]) > 0.07 * claim[what]
    ]


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
    failures = missing_entries(root, advice)
    rungs = {label(f): f for ladder in ladders(root).values() for f in ladder}
    failures += missing_words(claims, rungs)
    unread = json.loads((here / "not_read.json").read_text())
    if args.all or args.op:
        chosen = {
            name: file
            for name, file in rungs.items()
            if not args.op or file.parent.name in args.op
            if not any(fnmatch.fnmatch(name, u) for u in unread)
        }
    else:
        quick = [n for n, e in advice.items() if isinstance(e, list) and n.split("/")[0] in QUICK]
        chosen = {name: rungs[name] for name in (*quick, *QUICK_CLAIMS) if name in rungs}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda f: xray(args.warpath, root, f), chosen.values())
        for name, x in zip(chosen, found):
            if "error" in x:
                failures.append(f"{name}: {x['error']}")
                continue
            if name in claims:
                broken = broken_claim(name, x, claims[name])
                print(f"{'WRONG' if broken else 'ok'}  {name}: {claims[name]['says']}")
                failures += broken
            if name not in advice:  # the last of its ladder
                continue
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
