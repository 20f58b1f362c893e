"""What counting costs: CPU time of a launch under `cc --xray` beside that of plain `cc`, for the last plain rung of each op.

    cost.py WARPATH ROOT [--op OP ...] [--write]

A launch is timed as the difference between runs with more launches and with fewer, so that starting the process and computing the
reference do not count. Prints the ratios and their median; --write also puts them into docs/xray.md.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from sweep import label, ladders


def cpu_seconds(command, root):
    with open(os.devnull, "w") as nothing, tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"SIMT_XRAY_JSON": f"{folder}/counts.json"}
        process = subprocess.Popen(command, cwd=root, stdout=nothing, stderr=nothing, env=env)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime if process.returncode == 0 else None


def of_launch(check, root, more):
    """CPU seconds of one launch: the best of three pairs of runs."""
    best = None
    for _ in range(3):
        few = cpu_seconds([*check, "--launches", "1"], root)
        many = cpu_seconds([*check, "--launches", str(1 + more)], root)
        if few is None or many is None:
            return None
        one = (many - few) / more
        best = one if best is None else min(best, one)
    return best


def build(cc, root, file, target, xray):
    flags = ["-std=c++20", "--expt-relaxed-constexpr", "-O2", "-shared", "-Xcompiler", "-fPIC,-fvisibility=hidden"]  # fmt: skip
    command = [cc, *(["--xray"] if xray else []), *flags, f"-I{root}", file, cc.parent.parent / "lib" / "libwarpath_rung.a", "-o", target]  # fmt: skip
    return subprocess.run([str(c) for c in command], capture_output=True, check=False).returncode == 0  # fmt: skip


def write_table(page, rows, median):
    """Between the markers of the page."""
    begin, end = "<!-- cost:BEGIN -->", "<!-- cost:END -->"
    text = page.read_text()
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    lines = [
        "| rung | plain | counted | ratio |",
        "| --- | ---: | ---: | ---: |",
        *(f"| {n} | {1e3 * p:.1f} ms | {1e3 * x:.1f} ms | {x / p:.0f}x |" for n, p, x in rows),
        "",
        f"CPU time of a launch, {len(rows)} ops: median {median:.0f}x.",
    ]
    page.write_text("\n".join([before + begin, *lines, end]) + after)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("warpath", type=Path)
    parser.add_argument("root", type=Path)
    parser.add_argument("--op", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    root, cc = args.root.resolve(), args.warpath.resolve().parent / "warpath-cc"
    rows = []
    for name, files in ladders(root).items():
        plain = [f for f in files if "sm90" not in f.stem]
        if not name.endswith("/") or not plain or (args.op and plain[0].parent.name not in args.op):
            continue
        file = plain[-1]
        told = subprocess.run([args.warpath, "xray", file, "--json", "--no-registers", "--blocks", "1"], capture_output=True, text=True, cwd=root, check=False)  # fmt: skip
        if told.returncode != 0:
            continue
        x = json.loads(told.stdout)
        case, dtype = x["case"].split("'")[1], x["case"].split()[-1]
        with tempfile.TemporaryDirectory() as folder:
            taken = {}
            for kind in ("plain", "xray"):
                library = Path(folder) / f"{kind}.so"
                if not build(cc, root, file, library, kind == "xray"):
                    break
                check = [args.warpath, "check", library, "--smaller" if x["shape"] else "--case", case, "--dtype", dtype, "--backend", "simt", "--no-fork"]  # fmt: skip
                taken[kind] = of_launch(check, root, 20 if kind == "plain" else 2)
        if len(taken) == 2 and None not in taken.values() and taken["plain"] > 0.0005:
            rows.append((label(file), taken["plain"], taken["xray"]))
            print(f"{label(file):38} {1e3 * taken['plain']:8.1f} ms {1e3 * taken['xray']:9.1f} ms {taken['xray'] / taken['plain']:6.1f}x", flush=True)  # fmt: skip
    if not rows:
        sys.exit("nothing could be measured")
    median = statistics.median(x / p for _, p, x in rows)
    print(f"{len(rows)} ops: median {median:.1f}x")
    if args.write:
        write_table(root / "docs/xray.md", rows, median)


if __name__ == "__main__":
    main()
