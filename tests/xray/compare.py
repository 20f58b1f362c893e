#!/usr/bin/env python3
"""The counts of `cc --xray` beside those that ncu recorded on a GPU (recorded.json, recorded_spaces.json): docs/xray-ncu.md.

    tests/xray/compare.py build/tests/xray/xray.json build/tests/xray/spaces.json [--write | --check]

Requests, sectors and wavefronts must be equal or within 2%, except where EXCEPTIONS says why not.
"""

import argparse
import json
import sys
from pathlib import Path

from totals import totals

here = Path(__file__).resolve().parent
page = here.parent.parent / "docs" / "xray-ncu.md"

# (name here, position in totals, ncu's metrics, whose sum is meant)
COLUMNS = [
    ("ld", 0, ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], "load requests"),
    ("ld", 1, ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], "load sectors"),
    ("st", 0, ["l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"], "store requests"),
    ("st", 1, ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], "store sectors"),
    ("red", 0, ["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"], "atomic requests"),
    ("red", 1, ["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"], "atomic sectors"),
    ("lds", 1, ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"], "shared load wavefronts"),
    ("sts", 1, ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"], "shared store wavefronts"),
    ("atoms", 1, ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"], "shared atomic wavefronts"),
    ("ldl", 0, ["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"], "local load requests"),
    ("ldl", 1, ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"], "local load sectors"),
    ("stl", 0, ["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"], "local store requests"),
    ("stl", 1, ["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"], "local store sectors"),
    ("ldc", 1, ["idc__requests.sum"], "constant addresses"),
]  # fmt: skip

# Where the two differ, and the reason: (kernel, column).
EXCEPTIONS = json.loads((here / "exceptions.json").read_text())


def pairs(counted, recorded):
    """Launches of both in their order; a kernel's name without its template arguments must agree."""
    ours = [launch for launch in counted["launches"] if launch["accesses"]]
    theirs = recorded["launches"]
    if len(ours) != len(theirs):
        sys.exit(f"{len(ours)} launches were counted, {len(theirs)} recorded")
    for a, b in zip(ours, theirs):
        name = a["kernel"].split("<")[0]
        if name != b["kernel"].split("<")[0].split("(")[0].split("::")[-1]:
            sys.exit(f"'{a['kernel']}' was counted where '{b['kernel']}' was recorded")
        yield a, b


def warps(launch):
    metrics = launch["metrics"]
    return metrics["launch__grid_size"] * ((metrics["launch__block_size"] + 31) // 32)


def compare(counted, recorded):
    """(kernel, column, counted, recorded, state) for each count that either has."""
    seen = {}
    for ours, theirs in pairs(counted, recorded):
        name = ours["kernel"]
        seen[name] = seen.get(name, 0) + 1
        label = name if seen[name] == 1 else f"{name} ({seen[name]})"
        sums = totals(ours)
        for key, at, metrics, title in COLUMNS:
            if not any(m in theirs["metrics"] for m in metrics):
                continue
            here_ = sums.get(key, [0, 0])[at]
            there = sum(theirs["metrics"].get(m, 0) for m in metrics)
            if key == "ldc":  # without those of single words, which are no accesses of the source
                there -= warps(theirs) * theirs["fixed_constant_loads"]
            if here_ == there == 0:
                continue
            close = abs(here_ - there) <= 0.02 * there
            why = EXCEPTIONS.get(f"{label}: {title}", "")
            state = (
                "equal" if here_ == there else "within 2%" if close else why if why else "DIFFERS"
            )
            yield label, title, here_, there, state


def when(recorded):
    return f"CUDA {recorded['nvcc'].split()[-1]}, driver {recorded['driver']}, {recorded['date']}"


def text_of(all_pairs):
    """`all_pairs`: the counts of a program and what was recorded of it."""
    rows = [row for counted, recorded in all_pairs for row in compare(counted, recorded)]
    recorded = all_pairs[0][1]
    dates = "; ".join(dict.fromkeys(when(r) for _, r in all_pairs))
    equal = sum(r[4] == "equal" for r in rows)
    close = sum(r[4] == "within 2%" for r in rows)
    kernels = len({r[0] for r in rows})
    lines = [
        "# The counts of xray beside those of Nsight Compute",
        "",
        (
            f"Counted by `warpath cc --xray` on a CPU, recorded by ncu on an {recorded['device']} ({dates}). Written by "
            "`tests/xray/compare.py`; do not edit it. The kernels are in [kernels.cu](../tests/xray/kernels.cu) and "
            "[spaces.cu](../tests/xray/spaces.cu) (constant and local memory); those with `<T>` are rungs of the library."
        ),
        "",
        f"{len(rows)} counts of {kernels} kernels: {equal} are equal, {close} within 2%, {len(rows) - equal - close} differ for the reason given.",
        "",
        "| kernel | count | xray | ncu | |",
        "| --- | --- | ---: | ---: | --- |",
    ]
    last = ""
    for kernel, title, here_, there, state in rows:
        shown = "" if kernel == last else kernel.replace("<", "&lt;")
        lines.append(
            f"| {shown} | {title} | {here_} | {there} | {'=' if state == 'equal' else state} |"
        )
        last = kernel
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("counted", type=Path)
    parser.add_argument("spaces", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    files = [(args.counted, here / "recorded.json"), (args.spaces, here / "recorded_spaces.json")]
    # Only a GPU can write the second one.
    files = [(a, b) for a, b in files if b.exists()]
    text = text_of([(json.loads(a.read_text()), json.loads(b.read_text())) for a, b in files])
    different = [line for line in text.splitlines() if "DIFFERS" in line]
    if args.write:
        page.write_text(text)
    elif args.check:
        if page.read_text() != text:
            sys.exit(f"{page.name} is not what the counts give: tests/xray/compare.py --write")
    else:
        print(text, end="")
    for line in different:
        print(line, file=sys.stderr)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
