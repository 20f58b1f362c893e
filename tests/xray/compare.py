#!/usr/bin/env python3
"""The counts of `cc --xray` beside those that ncu recorded on a GPU (recorded.json): docs/xray-ncu.md.

    tests/xray/compare.py build/tests/xray/xray.json [--write | --check]

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


def compare(counted, recorded):
    """(kernel, column, counted, recorded, state) for each count that either has."""
    seen = {}
    for ours, theirs in pairs(counted, recorded):
        name = ours["kernel"]
        seen[name] = seen.get(name, 0) + 1
        label = name if seen[name] == 1 else f"{name} ({seen[name]})"
        sums = totals(ours)
        for key, at, metrics, title in COLUMNS:
            here_ = sums.get(key, [0, 0])[at]
            there = sum(theirs["metrics"].get(m, 0) for m in metrics)
            if here_ == there == 0:
                continue
            close = abs(here_ - there) <= 0.02 * there
            why = EXCEPTIONS.get(f"{label}: {title}", "")
            state = (
                "equal" if here_ == there else "within 2%" if close else why if why else "DIFFERS"
            )
            yield label, title, here_, there, state


def text_of(counted, recorded):
    rows = list(compare(counted, recorded))
    equal = sum(r[4] == "equal" for r in rows)
    close = sum(r[4] == "within 2%" for r in rows)
    kernels = len({r[0] for r in rows})
    lines = [
        "# The counts of xray beside those of Nsight Compute",
        "",
        (
            f"Counted by `warpath cc --xray` on a CPU, recorded by ncu on an {recorded['device']} (CUDA {recorded['nvcc'].split()[-1]}, "
            f"driver {recorded['driver']}, {recorded['date']}). Written by `tests/xray/compare.py`; do not edit it. The kernels are in "
            "[tests/xray](../tests/xray/kernels.cu); those with `<T>` are rungs of the library."
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
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    counted = json.loads(args.counted.read_text())
    recorded = json.loads((here / "recorded.json").read_text())
    text = text_of(counted, recorded)
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
