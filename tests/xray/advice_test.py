#!/usr/bin/env python3
"""Each sentence names a waste that the counts show (shown.py), the largest first. For every rung that has a next one: whether
the next one removes what comes first, or the class that the counts or the H200's times prove: advice.json.

    advice_test.py WARPATH ROOT [--all] [--op OP] [--saved FOLDER] [--write]

advice.json has an entry for a rung that has a next one: [kind, what the next rung does], and third, where the next rung is
made for them, the case and the type on which the two are read: {"case": "prime", "dtype": "f32"}. With "rung" among them, that
earlier rung is read in place of this one, because this one and all between refuse the case. A named case that is timed is
one on which the next rung gains most, or 85% of that, by results/h200.json. Both are counted on the same
case: of the kind that comes first, the next rung must have a third less, in cycles; or it must remove more of it than of any
other kind, and a tenth at least. Else {"instead": kind, "class": class, "why": reason}, also with "on": the case. The classes
are in CLASSES; each is a statement that is held to the counts or to the times in results/h200.json.
Rungs that nobody has read with xray yet are named in not_read.json, each with the reason; any other rung without an entry is
an error. Without --all only rungs of a few ops are run, one or more of each class that few counts prove; what times prove is
held for all entries. With it all rungs, the last of each ladder too: they must be counted. --saved keeps what was counted in a folder and uses it again,
priced again, so that a run that was interrupted can go on. --write puts the numbers into docs/xray.md.

claims.json has what lessons say about bytes, coalescing and bank conflicts: the words, which must be in the op's README,
and what follows from them (see `counted`), on the case that xray chooses or on the one under "on". With --all every claim is
held to the counts, else those about the rungs that are run anyway and about a few quick ones.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import re
import sys
import threading
from collections import Counter
from itertools import pairwise
from pathlib import Path

from counts import broken_entry, kept_counts
from shown import broken_sentences
from sweep import RUNG, label, ladders, xray

here = Path(__file__).resolve().parent

# One ladder for each kind of waste.
QUICK = ("transpose", "vector_add", "reduce", "softmax")
QUICK_CLAIMS = ("matrix_add/01_row_by_x", "fused_elementwise/01_four_kernels", "noise/01_naive")
# Of classes that the ladders above have no rung of.
QUICK_CLASSES = ("add_norm/01_two_kernels", "merge/03_shared")


LEAST_FALL, LEAST_OF_MOST, LEAST_GAIN, LEAST_SHARE = 1 / 3, 1 / 10, 1.1, 0.01
SHOWN = 3  # sentences that a user sees
MOST_APART = 1 / 10
LEAST_OF_BEST_GAIN = 0.85
CLASSES = {
    "later": "a later rung removes what comes first; counted",
    "second": "the next rung removes another one of the three wastes that are shown; counted",
    "fewer": "the next rung does less of something that none of the three sentences names; counted",
    "open": "xray says that less than a tenth is waste and that the counts leave latency and overlap open; the next rung removes none of what is shown; counted",
    "alike": "all that both do differs by less than a tenth, and xray says that the counts leave latency and overlap open; counted",
    "no gain": f"the next rung is nowhere {LEAST_GAIN} times as fast: it is for the same bits, other shapes, or did not help; timed",
    "first": "the next rung is the first that takes its case, so that no rung is there to be compared; counted",
    "other": "the next rung removes none of the wastes that are shown, or is for another case that is too large to count; counted",
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


def words_of(text):
    """In one line, a link as the words that it is on."""
    return " ".join(re.sub(r"\[([^][]+)\](?:\[[^][]*\]|\([^()]*\))?", r"\1", text).split())


def missing_words(claims, files):
    """Claims whose words the lesson does not have."""
    missing = []
    for name, claim in claims.items():
        if name not in files:
            missing.append(f"{name}: in claims.json, but no rung")
        elif not claim.keys() & MEASURES:
            missing.append(f"{name}: claims.json says nothing that is counted")
        elif words_of(claim["says"]) not in words_of(
            (files[name].parent / "README.md").read_text()
        ):
            missing.append(f"{name}: the lesson does not say '{claim['says']}' (claims.json)")
    return missing


def counted(x):
    """What claims are about: what the lanes of all global loads or stores ask for, as a multiple of the bytes that the op
    must move; sectors or wavefronts per request, of the access with the most; sectors of a load as a multiple of the least, of
    the load with the most; the share of wavefronts that are conflicts; barriers of a thread; bytes per lane of loads and stores.
    """
    launches = x["counts"]["launches"]
    accesses = [a for one in launches if one["kernel"] != "difference_kernel" for a in one["accesses"]]  # fmt: skip
    loads = [a for a in accesses if a["space"] == "global" and a["kind"].endswith("load")]
    stores = [a for a in accesses if a["space"] == "global" and a["kind"].endswith("store")]
    shared = [a for a in accesses if a["space"] == "shared"]
    asked, lanes = (sum(a[k] for a in loads + stores) for k in ("bytes_asked", "lanes"))
    least, wavefronts = x["key"]["bytes_least"], x["key"]["wavefronts"]

    def most(some, what):
        return max((a[what] / a["requests"] for a in some if a["requests"]), default=0)

    return {
        "loads": sum(a["bytes_asked"] for a in loads) / least,
        "stores": sum(a["bytes_asked"] for a in stores) / least,
        "load_sectors": most(loads, "sectors"),
        "store_sectors": most(stores, "sectors"),
        "times_least": max(
            (a["sectors"] / a["least_sectors"] for a in loads if a["least_sectors"]), default=0
        ),
        "wavefronts": most(shared, "wavefronts"),
        "conflicts": x["key"]["bank_conflicts"] / wavefronts if wavefronts else 0,
        "barriers": x["key"]["barriers"],
        "width": asked / lanes if lanes else 0,
    }


MEASURES = {"loads", "stores", "load_sectors", "store_sectors", "times_least", "wavefronts", "conflicts", "barriers", "width"}  # fmt: skip


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
    if isinstance(entry, dict):
        return entry.get("on")
    return entry[2] if isinstance(entry, list) and len(entry) > 2 else None


class Readings:
    """What xray says of a rung on a case, each once. `own`: the rungs that are read on the case that xray chooses anyway."""

    def __init__(self, warpath, root, rungs, saved, own):
        self.warpath, self.root, self.rungs, self.saved = warpath, root, rungs, saved
        self.own = own
        self.known, self.lock = {}, threading.Lock()
        if saved:
            saved.mkdir(parents=True, exist_ok=True)

    def read(self, name, on=None):
        on = {k: v for k, v in (on or {}).items() if k != "rung"} or None
        key = f"{name}@{on['case']}@{on['dtype']}" if on else f"{name}@own"
        with self.lock:
            is_first = key not in self.known
            if is_first:
                self.known[key] = concurrent.futures.Future()
        if is_first:
            try:
                self.known[key].set_result(self.count(name, on, re.sub(r"[^A-Za-z0-9_.+@-]", "_", key)))  # fmt: skip
            except Exception as error:  # noqa: BLE001
                self.known[key].set_exception(error)
        return self.known[key].result()

    def read_like(self, name, x):
        """Another rung on the case of the reading x: its own reading where that is of the same case."""
        if name in self.own:
            y = self.read(name)
            if [y.get(k) for k in ("case", "shape")] == [x["case"], x["shape"]]:
                return y
        return self.read(name, same_case(x))

    def count(self, name, on, key):
        file = self.saved / f"{key}.json" if self.saved else None
        if file and file.exists():
            x = json.loads(file.read_text())
            return x if "error" in x else xray(self.warpath, self.root, file)
        x = xray(self.warpath, self.root, self.rungs[name], on)
        if file:
            file.write_text(json.dumps(x))
        return x


def same_case(x):
    """The case of a reading, for another rung."""
    match = re.fullmatch(r"case '(.*)' in (\w+)", x.get("case", ""))
    return {"case": match[1], "dtype": match[2]} if match else {}


def fall(kind, x, y):
    """Which part of what a kind of waste costs is gone, and whether that is enough; None: the two were not counted on the
    same case."""
    if y is None or "error" in y or x["case"] != y["case"] or not x["cycles"].get(kind):
        return None
    gone = {k: cycles - y["cycles"].get(k, 0) for k, cycles in x["cycles"].items()}
    part = gone[kind] / x["cycles"][kind]
    most = gone[kind] == max(gone.values())
    return part, part >= LEAST_FALL or (most and part >= LEAST_OF_MOST)


def work(x):
    """What the kernels do, by what it costs in cycles of an H200's multiprocessor: docs/xray.md has the prices."""
    done = Counter()
    for one in x["counts"]["launches"]:
        warps = (one["block"][0] * one["block"][1] * one["block"][2] + 31) // 32
        done["barriers"] += 0.5 * warps * one["barriers"]
        done["arithmetic"] += 0.25 * sum(c["arithmetic"] for c in one["code"])
        done["code"] += sum(c["times"] for c in one["code"])
        for a in one["accesses"]:
            sectors = a.get("sectors", 0)
            fresh = min(a.get("first_touches", 0), sectors)
            done["memory"] += 1.7 * fresh
            done["cache"] += 0.5 * (sectors - fresh)
            done["requests"] += a["requests"]
            done["shared memory"] += a.get("wavefronts", 0)
            done["constant memory"] += a.get("addresses", 0) if a["space"] == "constant" else 0
            met = 60 if a["space"] == "global" else 0.5
            done["atomics"] += met * a.get("lanes_on_one_address", 0)
    return done


def apart(x, y):
    """What two rungs do of a kind, and what of it is waste, where that differs: [(kind, before, after)] in cycles. What is less
    than a hundredth of all is left out."""
    a, b = work(x), work(y)
    little = LEAST_SHARE * sum(a.values())
    both = [(k, a[k], b[k]) for k in a.keys() | b.keys()]
    both += [("waste: " + k, x["cycles"].get(k, 0), y["cycles"].get(k, 0)) for k in x["cycles"].keys() | y["cycles"].keys()]  # fmt: skip
    return sorted((k, m, n) for k, m, n in both if abs(m - n) > max(little, MOST_APART * max(m, n)))


def times(file):
    """{(case, type): seconds} of a rung on an H200."""
    results = file.parent / "results" / "h200.json"
    if not results.exists():
        return {}
    prefix = file.stem[: -len(RUNG.match(file.stem)["number"] + "_" + RUNG.match(file.stem)["name"])]  # fmt: skip
    name = file.stem.removeprefix(prefix)
    op = f"{file.parent.name}_{prefix[:-1]}" if prefix else file.parent.name
    return {
        (r["case"], r["dtype"]): r["time_us"]["median"]
        for r in json.loads(results.read_text())["records"]
        if r["name"] == name and r["op"] in (op, prefix[:-1]) and r.get("passed") and "time_us" in r
    }


def gains(before, after):
    """How many times as fast the later rung is, by the timed cases that both have."""
    a, b = times(before), times(after)
    return {k: a[k] / b[k] for k in a.keys() & b.keys()}


def poorly_chosen(name, entry, after, rungs):
    """A named case that is timed, but not one of those on which the next rung gains most."""
    on = case_of(entry)
    if not on:
        return []
    gain = gains(rungs[base_of(name, on)], rungs[after[name]])
    chosen = (on["case"], on["dtype"])
    if chosen not in gain or gain[chosen] >= LEAST_OF_BEST_GAIN * max(gain.values()):
        return []
    best = max(gain, key=gain.get)
    return [f"{name}: read on {chosen}, where the next rung is {gain[chosen]:.2f} times as fast; on {best} it is {gain[best]:.2f} times"]  # fmt: skip


def earlier(name, after):
    """The rungs below it, the next lower one first."""
    before = {b: a for a, b in after.items()}
    while name in before:
        name = before[name]
        yield name


def later(name, after):
    while name in after:
        name = after[name]
        yield name


def falls_enough(name, kind, x, others):
    falls = [f for f in (fall(kind, x, y) for y in others) if f is not None]
    if not falls:
        return [f"{name}: no other rung takes its case"]
    if any(enough for _, enough in falls):
        return []
    return [f"{name}: {kind}, of which {100 * max(falls)[0]:.0f}% are removed"]


def broken_class(name, entry, x, after, rungs, readings):
    """What is not so of an entry that says why the advice is another one."""
    kind = wanted_kind(entry)
    following = after[name]
    match entry["class"]:
        case "later":
            return falls_enough(
                name, kind, x, (readings.read_like(m, x) for m in later(name, after))
            )
        case "second":
            if entry["removes"] not in {w["kind"] for w in x["waste"][:SHOWN]}:
                return [f"{name}: none of the {SHOWN} sentences is about {entry['removes']}"]
            return falls_enough(name, entry["removes"], x, [readings.read_like(following, x)])
        case "alike" | "open" | "fewer" | "other":
            y = readings.read_like(following, x)
            if entry["class"] != "other" and "error" in y:
                return [f"{name}: the next rung does not take its case"]
            fallen = [w["kind"] for w in x["waste"][:SHOWN] if w["share"] >= LEAST_SHARE and (fall(w["kind"], x, y) or (0, False))[1]]  # fmt: skip
            broken = [f"{name}: the next rung removes {k}" for k in dict.fromkeys(fallen)]
            if entry["class"] in ("alike", "open") and not x["left"]:
                broken.append(f"{name}: xray does not say that the counts leave it open")
            if entry["class"] == "alike":
                broken += [f"{name}: {k}: {m:.0f} cycles and {n:.0f}" for k, m, n in apart(x, y)]
            elif entry["class"] == "fewer":
                fell = {k for k, m, n in apart(x, y) if n < m}
                if entry["fewer"] not in fell:
                    broken.append(f"{name}: the next rung has as much of {entry['fewer']}; less of {sorted(fell)}")  # fmt: skip
            return broken
        case "no gain":
            gain = max(gains(rungs[name], rungs[following]).values(), default=None)
            if gain is None or gain >= LEAST_GAIN:
                return [f"{name}: the next rung is {gain} times as fast"]
        case "first":
            takes = [m for m in (name, *earlier(name, after)) if "error" not in readings.read(m, entry["next_on"])]  # fmt: skip
            if "error" in readings.read(following, entry["next_on"]):
                takes.append(following + " does not")
            return [f"{name}: '{entry['next_on']['case']}': {m} takes it" for m in takes]
    return []


def broken_agreement(name, entry, x, after, readings):
    """What is not so of an entry that says that the next rung removes the largest waste."""
    on = case_of(entry) or {}
    y = readings.read_like(after[name], x)
    broken = falls_enough(name, wanted_kind(entry), x, [y])
    if "rung" in on:
        refuse = [m for m in (name, *earlier(name, after)) if m > full_name(name, on["rung"])]
        broken += [
            f"{name}: {m} takes '{on['case']}' too"
            for m in refuse
            if "error" not in readings.read(m, on)
        ]
    return broken


def base_of(name, on):
    """The rung that is read: an earlier one where the case is not for this one."""
    return full_name(name, on["rung"]) if on and "rung" in on else name


def full_name(name, rung):
    """05_vector of softmax/backward_06_cluster: softmax/backward_05_vector."""
    op, stem = name.split("/")
    return f"{op}/{RUNG.match(stem)['ladder'] + '_' if RUNG.match(stem)['ladder'] else ''}{rung}"


def tally_of(advice):
    """How many rungs agree, by the case on which they are read; how many are in each class."""
    tally = Counter()
    for entry in advice.values():
        on = case_of(entry)
        if isinstance(entry, dict):
            tally[entry["class"]] += 1
        else:
            tally["own" if not on else "earlier" if "rung" in on else "named"] += 1
    return tally


def with_table(text, tally):
    """The page, with the numbers between its markers."""
    begin, end = "<!-- advice:BEGIN -->", "<!-- advice:END -->"
    before, rest = text.split(begin)
    agree = tally["own"] + tally["named"] + tally["earlier"]
    lines = [
        f"Of {sum(tally.values())} rungs that have a next one, the next one removes what comes first for {agree}:",
        "",
        "| read on | rungs |",
        "| --- | ---: |",
        f"| the case that xray chooses, as a user sees it | {tally['own']} |",
        f"| a case that `advice.json` names | {tally['named']} |",
        f"| a case that the rung refuses: the waste is that of an earlier rung | {tally['earlier']} |",
        "",
        "The others:",
        "",
        "| class | rungs | what is held |",
        "| --- | ---: | --- |",
        *(f"| {c} | {tally[c]} | {what} |" for c, what in CLASSES.items() if tally[c]),
    ]
    return "\n".join([before + begin, *lines, end]) + rest.split(end)[1]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("warpath")
    parser.add_argument("root", type=Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--op", action="append", default=[])
    parser.add_argument("--saved", type=Path)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    root = args.root.resolve()
    advice = json.loads((here / "advice.json").read_text())
    claims = json.loads((here / "claims.json").read_text())
    kept = kept_counts(root)
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
        quick = [n for n, e in advice.items() if n.split("/")[0] in QUICK and "/backward" not in n]
        chosen = {name: rungs[name] for name in (*quick, *QUICK_CLAIMS, *QUICK_CLASSES)}

    own = {name for name in chosen if not case_of(advice.get(name))}
    readings = Readings(args.warpath, root, rungs, args.saved and args.saved.resolve(), own)
    after = {label(a): label(b) for files in ladders(root).values() for a, b in pairwise(files)}
    for name, entry in advice.items():
        if name in after:
            failures += poorly_chosen(name, entry, after, rungs)
            if isinstance(entry, dict) and entry["class"] == "no gain":
                failures += broken_class(name, entry, None, after, rungs, readings)

    def check(name):
        """(lines to print, failures)"""
        entry = advice.get(name)
        on = case_of(entry)
        x = readings.read(base_of(name, on), on)
        if "error" in x:
            return [], [f"{name}: {x['error']}"]
        lines, wrong = [], broken_sentences(name, x)
        if not on:
            wrong += broken_entry(name, x, kept, args.all)
        if name in claims:
            wrong += broken_claim(name, readings.read(name, claims[name].get("on")), claims[name])
            lines.append(f"{'WRONG' if wrong else 'ok'}  {name}: {claims[name]['says']}")
        if entry is None:  # the last of its ladder
            return lines, wrong
        got, kind = (x["waste"][0]["kind"] if x["waste"] else "none"), wanted_kind(entry)
        if got != kind:
            said = x["waste"][0]["sentence"] if x["waste"] else ""
            wrong.append(f"{name}: {got}, not {kind} ({entry}). It says: {said}")
        elif isinstance(entry, dict):
            wrong += broken_class(name, entry, x, after, rungs, readings)
        elif args.all or args.op or after[name] in chosen:
            wrong += broken_agreement(name, entry, x, after, readings)
        lines.append(f"{'WRONG' if wrong else 'ok'}  {name}: {got}")
        return lines, wrong

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for lines, wrong in pool.map(check, chosen):
            for line in lines:
                print(line, flush=True)
            failures += wrong
    tally = tally_of(advice)
    print(", ".join(f"{n} {what}" for what, n in tally.most_common()))
    page = root / "docs/xray.md"
    table = with_table(page.read_text(), tally)
    if args.write:
        page.write_text(table)
    elif page.read_text() != table:
        failures.append("docs/xray.md has other numbers than advice.json: advice_test.py --write")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
