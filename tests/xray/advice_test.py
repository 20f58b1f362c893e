#!/usr/bin/env python3
"""The largest waste of a rung is the one that its next rung removes: advice.json.

    advice_test.py WARPATH ROOT [--all] [--op OP]

advice.json has an entry for a rung that has a next one: [kind, what the next rung does], and third, where the next rung is
made for them, the case and the type on which the two are read. Both are counted on the same case: of the kind that comes
first, the next rung must have a third less, in cycles; or it must remove more of it than of any other kind, and a tenth at
least. Else {"instead": kind, "class": class, "why": reason}: xray's first
sentence is about something else. The classes are in CLASSES; of "later" a later rung of the ladder must have less in the same
way, of "second" the next rung must have less of the kind that "removes" names, for which there must be a sentence.
Rungs that nobody has read with xray yet are named in not_read.json, each with the reason; any other rung without an entry is
an error. Without --all only rungs of a few ops are run, and the next rung is held to the counts where it is among them; with
it all rungs, the last of each ladder too: they must be counted.

claims.json has what lessons say about bytes, coalescing and bank conflicts: the words, which must be in the op's README,
and what follows from them (see `counted`). With --all every claim is held to the counts, else those about the rungs that
are run anyway and about a few quick ones.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

from sweep import label, ladders, xray

here = Path(__file__).resolve().parent

# One ladder for each kind of waste.
QUICK = ("transpose", "vector_add", "reduce", "softmax")
QUICK_CLAIMS = ("matrix_add/01_row_by_x", "fused_elementwise/01_four_kernels", "noise/01_naive")


LEAST_FALL, LEAST_OF_MOST = 1 / 3, 1 / 10
CLASSES = {
    "overlap": "the next rung does the same at another time: latency is hidden, nothing is counted",
    "shapes": "the next rung is for shapes or types that this one refuses, or that no small case has",
    "bits": "the next rung gives the same bits in every run",
    "later": "a later rung removes it",
    "second": "the next rung removes another waste of which xray has a sentence, but not the first",
    "small": "the case that a CPU can count is too small to show it",
    "uncounted": "the next rung saves instructions that are not counted",
}


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
        if isinstance(e, dict) and (len(e.get("why", "")) < 10 or e.get("class") not in CLASSES)
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


def case_of(entry):
    """On which case a rung is read; None: xray's choice."""
    return entry[2] if isinstance(entry, list) and len(entry) > 2 else None


def same_case(x):
    """The case of a reading, for another rung."""
    match = re.fullmatch(r"case '(.*)' in (\w+)", x.get("case", ""))
    return {"case": match[1], "dtype": match[2]} if match else {}


def held_against(name, advice, after):
    """The rungs that must have less of its largest waste: the next one, or one of all later ones."""
    entry = advice.get(name)
    if isinstance(entry, list):
        return [after[name]] if name in after else []
    if not isinstance(entry, dict) or entry.get("class") not in ("later", "second"):
        return []
    if entry["class"] == "second":
        return [after[name]]
    later = []
    while name in after:
        name = after[name]
        later.append(name)
    return later


def fall(kind, x, y):
    """Which part of what a kind of waste costs is gone, and whether that is enough; None: the two were not counted on the
    same case."""
    if y is None or "error" in y or x["case"] != y["case"] or not x["cycles"].get(kind):
        return None
    gone = {k: cycles - y["cycles"].get(k, 0) for k, cycles in x["cycles"].items()}
    part = gone[kind] / x["cycles"][kind]
    most = gone[kind] == max(gone.values())
    return part, part >= LEAST_FALL or (most and part >= LEAST_OF_MOST)


def what_it_is(entry, falls):
    if isinstance(entry, dict):
        return f"other ({entry['class']})"
    return "agree, counted" if falls else "agree, not counted"


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
        quick = [
            n
            for n, e in advice.items()
            if isinstance(e, list) and n.split("/")[0] in QUICK and "/backward" not in n
        ]
        chosen = {name: rungs[name] for name in (*quick, *QUICK_CLAIMS) if name in rungs}

    def read(name, on=None):
        return xray(args.warpath, root, rungs[name], on)

    after = {label(a): label(b) for files in ladders(root).values() for a, b in pairwise(files)}
    wanted = {name: case_of(advice.get(name)) for name in chosen}
    tally = Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(chosen, pool.map(lambda n: read(n, wanted[n]), chosen)))
        if args.all or args.op:  # the next rung on the same case
            pairs = [(n, m) for n in chosen for m in held_against(n, advice, after) if m in chosen]
            pairs = [(n, m) for n, m in pairs if found[n].get("case") != found[m].get("case")]
            others = pool.map(lambda p: read(p[1], same_case(found[p[0]])), pairs)
            found.update(zip(pairs, others))
        # Claims are about the case that xray chooses.
        moved = [n for n in chosen if n in claims and wanted[n]]
        on_own_case = dict(zip(moved, pool.map(read, moved)))
    for name, x in found.items():
        if isinstance(name, tuple):
            continue
        if "error" in x:
            failures.append(f"{name}: {x['error']}")
            continue
        if name in claims:
            broken = broken_claim(name, on_own_case.get(name, x), claims[name])
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
            continue
        later = [found.get((name, m), found.get(m)) for m in held_against(name, advice, after)]
        removed = advice[name].get("removes", kind) if isinstance(advice[name], dict) else kind
        if removed not in {w["kind"] for w in x["waste"]} | {"none"}:
            failures.append(f"{name}: no sentence is about {removed} ({advice[name]})")
        falls = [f for f in (fall(removed, x, y) for y in later) if f is not None]
        tally[what_it_is(advice[name], falls)] += 1
        if falls and not any(enough for _, enough in falls):
            failures.append(
                f"{name}: {removed}, of which the next rung removes {100 * max(falls)[0]:.0f}% ({advice[name]})"
            )
    print(", ".join(f"{n} {what}" for what, n in sorted(tally.items())))
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
