"""Whether each sentence of a reading names a waste that its counts show, the largest kind first."""

from itertools import pairwise
from math import prod


def at_line(accesses, waste):
    """The accesses at the waste's line, also those that were inlined there; all where it has none."""
    if waste["line"] == 0:
        return accesses
    place = (waste["file"], waste["line"])
    return [a for a in accesses if place in [(f["file"], f["line"]) for f in a["lines"]]]


def same_line(places, waste):
    """A barrier's file is as the compiler was told it."""
    name = waste["file"].rsplit("/", 1)[-1]
    return [p for p in places if p["line"] == waste["line"] and p["file"].endswith(name)]


def active_lanes(launch):
    times, lanes = (sum(c[k] for c in launch["code"]) for k in ("times", "lanes"))
    return lanes / times if times else 32


def is_global_load(a):
    return (
        a["space"] == "global" and a["kind"].endswith("load") and not a["kind"].startswith("bulk")
    )


# What the counts of the kernel and of the accesses at the line must have; `x` is the reading.
IN_ACCESSES = {
    "coalescing": lambda a: a["space"] == "global" and a["sectors"] >= 1.15 * a["least_sectors"],
    "bank conflicts": lambda a: a["space"] == "shared" and a["wavefronts"] > a["least_wavefronts"],
    "atomics": lambda a: a.get("lanes_on_one_address", 0) >= 1.5 * a["requests"],
    "narrow accesses": lambda a: a["space"] == "global" and 0 < a["bytes_per_lane"] < 16,
    "constant memory": lambda a: a["space"] == "constant" and a["addresses"] >= 1.5 * a["requests"],
    "local memory": lambda a: a["space"] == "local",
    "read again": is_global_load,
    "shared memory traffic": lambda a: a["space"] == "shared" and a["kind"].endswith("load"),
}
IN_KERNEL = {
    "read again": lambda one, w: sum(a["sectors"] - a["first_touches"] for a in one["accesses"] if is_global_load(a)) > 0,
    "partial warps": lambda one, w: prod(one["block"]) % 32 != 0,
    "divergence": lambda one, w: active_lanes(one) < 32 and any(c["splits"] for c in same_line(one["code"], w)),
    "arithmetic": lambda one, w: any(c["arithmetic"] for c in same_line(one["code"], w)),
    "barriers": lambda one, w: one["barriers"] >= 3 * one["blocks_counted"] and bool(same_line(one["barrier_lines"], w)),
    "uneven warps": lambda one, w: one["busiest_warp"] / one["blocks_counted"] >= 1.5 * one["all_warps"] / one["warps"],
}  # fmt: skip
IN_ALL = {
    "between kernels": lambda x: len(x["counts"]["launches"]) > 1 or x["counts"]["launches"][0]["launches"] > 1,
    "launches": lambda x: len(x["timed"]["launches"]) > 1,
    "idle multiprocessors": lambda x: bool(x["timed"]["launches"]),
}  # fmt: skip


def is_shown(x, waste):
    kind = waste["kind"]
    if kind in IN_ALL:
        return IN_ALL[kind](x)
    launches = [one for one in x["counts"]["launches"] if one["kernel"] == waste["kernel"]]
    here = [a for one in launches for a in at_line(one["accesses"], waste)]
    return (kind not in IN_ACCESSES or any(map(IN_ACCESSES[kind], here))) and (
        kind not in IN_KERNEL or any(IN_KERNEL[kind](one, waste) for one in launches)
    )


def broken_sentences(name, x):
    """What is wrong with the sentences of a reading."""
    known = IN_ACCESSES.keys() | IN_KERNEL.keys() | IN_ALL.keys()
    broken = [
        f"{name}: the counts do not show this waste ({w['kind']}): {w['sentence']}"
        for w in x["waste"]
        if w["kind"] not in known or w["cycles"] <= 0 or not is_shown(x, w)
    ]
    for before, after in pairwise(x["waste"]):
        both = (before["kind"], after["kind"])
        costs = [x["cycles"][k] for k in both] if both[0] != both[1] else [before["cycles"], after["cycles"]]  # fmt: skip
        if costs[0] < costs[1] * (1 - 1e-9):
            broken.append(
                f"{name}: {both[1]} costs more than {both[0]}, which comes first: {costs}"
            )
    return broken
