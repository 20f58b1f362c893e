#!/usr/bin/env python3
"""Builds the kernels of this folder with `cc --xray`, runs them, and holds the counts to theory and to ncu.

xray_test.py WARPATH_CC FOLDER
"""

import concurrent.futures
import json
import re
import subprocess
import sys
import time
from pathlib import Path

from compare import pairs
from totals import expected, totals

here = Path(__file__).resolve().parent
root = here.parent.parent


def run(*command, **more):
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=False, **more
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(cc, folder):
    sources = [
        here / "kernels.cu",
        here / "launches.cu",
        root / "core/host/error.cpp",
        *sorted((here / "rungs").glob("*.cu")),
    ]
    folder.mkdir(parents=True, exist_ok=True)

    def compile_one(source):
        target = folder / f"{source.stem}.o"
        run(
            cc,
            "--xray",
            "-c",
            "--reuse",
            "-std=c++20",
            "--expt-relaxed-constexpr",
            f"-I{root}",
            source,
            "-o",
            target,
        )
        return target

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sources))
    run(cc, "--xray", *objects, "-o", folder / "kernels")
    return folder / "kernels"


def check_theory(counted, source, at_least):
    wanted = expected((here / source).read_text())
    assert len(wanted) >= at_least, f"only {len(wanted)} kernels say what they count"
    failures = []
    found = {launch["kernel"]: totals(launch) for launch in counted["launches"]}
    for kernel, counts in wanted.items():
        if kernel not in found:
            failures.append(f"{kernel}: not launched")
            continue
        for name, values in counts.items():
            got = found[kernel].get(name, [0, 0])[: len(values)]
            if got != values:
                failures.append(f"{kernel}: {name} is {got}, theory says {values}")
        for name in found[kernel].keys() - counts.keys():
            failures.append(f"{kernel}: {name} {found[kernel][name]} that theory does not have")
    return failures


def check_spaces(cc, folder):
    """Constant and local memory; a __device__ variable's sectors that are read again; counts asked for in C++."""
    program, file = folder / "spaces", folder / "spaces.json"
    run(cc, "--xray", "--reuse", "-std=c++20", here / "spaces.cu", "-o", program)
    run(program, env={"SIMT_XRAY_JSON": str(file), "PATH": "/usr/bin:/bin"})
    counted = json.loads(file.read_text())
    failures = check_theory(counted, "spaces.cu", 14)
    for launch in counted["launches"]:
        for access in launch["accesses"]:
            if not any(f["file"].endswith("spaces.cu") for f in access["lines"]):
                failures.append(f"{launch['kernel']}: a {access['kind']} has no line of spaces.cu")
    twice = next(x for x in counted["launches"] if x["kernel"] == "variable_twice")
    fresh = sum(a["first_touches"] for a in twice["accesses"] if a["kind"] == "load")
    if fresh != 2048:
        failures.append(f"variable_twice: {fresh} sectors of 2048 were new")
    taken = folder / "not_written.json"
    taken.unlink(missing_ok=True)
    asked = run(program, "--take", env={"SIMT_XRAY_JSON": str(taken), "PATH": "/usr/bin:/bin"})
    same = [totals(x) for x in json.loads(asked)["launches"]]
    if same != [totals(x) for x in counted["launches"]] or taken.exists():
        failures.append("simt::take_counts: not the counts that are written otherwise")
    arrays = {a["array"] for x in counted["launches"] for a in x["accesses"] if "array" in a}
    if arrays != {"table", "weights.of", "kept"}:
        failures.append(f"spaces: the arrays are named {arrays}")
    return failures


def parting_lines(text):
    """{line: share} of the lines marked "parts: 50%"."""
    marks = ((n, re.search(r"// parts: (\d+)%", line)) for n, line in enumerate(text.splitlines(), 1))  # fmt: skip
    return {n: int(mark[1]) / 100 for n, mark in marks if mark}


def check_code(cc, folder):
    """Vectors that are stored as wholes, the lines of branches, no code or waiting that the program has not."""
    program, file = folder / "code", folder / "code.json"
    run(cc, "--xray", "--reuse", "-std=c++20", here / "code.cu", "-o", program)
    run(program, env={"SIMT_XRAY_JSON": str(file), "PATH": "/usr/bin:/bin"})
    counted = json.loads(file.read_text())
    failures = check_theory(counted, "code.cu", 16)
    for one in [x for x in counted["launches"] if x["kernel"] == "one_line_computes"]:
        most = max(one["code"], key=lambda c: c["arithmetic"])
        # 20 instructions for tanhf, of 512 warps, in each of two launches.
        if most["line"] != line_of("code.cu", "// most arithmetic") or most["arithmetic"] != 20 * 512:  # fmt: skip
            failures.append(f"one_line_computes: {most} has most arithmetic")
    wanted = parting_lines((here / "code.cu").read_text())
    found = {c["line"]: c["splits"] / c["passes"] for one in counted["launches"] for c in one["code"] if c["splits"]}  # fmt: skip
    if found != wanted or len(wanted) < 4:
        failures.append(f"code.cu: lanes part at {found}, theory says {wanted}")
    failures += [f"{x['kernel']}: {x['waits']} waits" for x in counted["launches"] if x["waits"]]
    ended = {a["lanes"] for x in counted["launches"] if x["kernel"] == "triples" for a in x["accesses"]}  # fmt: skip
    if ended != {1536 * 32}:
        failures.append(f"triples: accesses of {ended} lanes")
    return failures


# nvcc takes a predicate where g++ takes a branch.
PREDICATED = {"online<T>"}


def check_whole_warps(counted, recorded):
    """Where ncu saw all lanes in every instruction, no lanes part here."""
    failures = []
    both = list(pairs(counted, recorded))
    whole = [a for a, b in both if b["metrics"]["smsp__thread_inst_executed_per_inst_executed.ratio"] == 32]  # fmt: skip
    for one in whole:
        times, lanes = (sum(c[k] for c in one["code"]) for k in ("times", "lanes"))
        if one["kernel"] not in PREDICATED and (one["splits"] or lanes != 32 * times):
            failures.append(f"{one['kernel']}: {lanes / times} active lanes, {one['splits']} splits; ncu saw 32")  # fmt: skip
    if len(whole) < len(both) / 2:
        failures.append(f"only {len(whole)} kernels of {len(both)} have whole warps")
    return failures


def check_sampling(program, folder):
    """Eight of 64 blocks: an eighth of the requests, and it is said."""
    file = folder / "sampled.json"
    run(
        program, env={"SIMT_XRAY_JSON": str(file), "SIMT_XRAY_BLOCKS": "8", "PATH": "/usr/bin:/bin"}
    )
    launch = next(x for x in json.loads(file.read_text())["launches"] if x["kernel"] == "copy_f32")
    if launch["blocks_counted"] != 8 or launch["blocks"] != 64 or totals(launch)["ld"] != [64, 256]:
        return [
            f"sampling: {launch['blocks_counted']} of {launch['blocks']} blocks, {totals(launch)}"
        ]
    return []


def line_of(source, text):
    return next(n for n, line in enumerate((here / source).read_text().splitlines(), 1) if text in line)  # fmt: skip


def check_lanes(counted):
    """Active lanes, splits, barriers, lanes that meet on one address, and how evenly the warps work."""
    found = {launch["kernel"]: launch for launch in counted["launches"]}
    failures = []

    def hold(what, got, wanted):
        if got != wanted:
            failures.append(f"{what} is {got}, theory says {wanted}")

    sides = found["two_sides"]
    of = {kind: [a["lanes"] / a["requests"] for a in sides["accesses"] if a["kind"] == kind] for kind in ("load", "store")}  # fmt: skip
    hold("two_sides: lanes per request", of, {"load": [16, 16], "store": [32]})
    for text in ("v = sqrtf(x[i]);", "v = x[i + 4096] * 3;"):
        line = line_of("kernels.cu", text)
        # A line may be several basic blocks: g++ tests the root's argument.
        (code,) = [c for c in sides["code"] if c["line"] == line]
        hold(f"two_sides: lanes per step at '{text}'", code["lanes"] / code["times"], 16)
        hold(f"two_sides: steps of 512 warps at '{text}'", code["times"] % 512, 0)
    hold("two_sides: splits", sides["splits"], 512)

    half = found["half_a_warp"]
    times, lanes = (sum(c[k] for c in half["code"]) for k in ("times", "lanes"))
    hold("half_a_warp: active lanes", lanes / times, 24)
    hold("half_a_warp: splits", half["splits"], 0)
    hold("half_a_warp: unevenness", half["busiest_warp"] / half["all_warps"] * 2, 1)

    tree = found["sum_of_a_block"]
    hold("sum_of_a_block: barriers", tree["barriers"], 64 * 9)
    places = {b["line"]: b["times"] for b in tree["barrier_lines"]}
    loop = line_of("kernels.cu", "if (t % (2 * step) == 0)") + 1
    hold("sum_of_a_block: barriers by line", places, {loop - 4: 64, loop: 64 * 8})
    hold("copy_f32: barriers", found["copy_f32"]["barriers"], 0)

    for kernel, each in (("atomic_neighbours", 1), ("atomic_eights", 8), ("atomic_one", 32)):
        met = sum(a.get("lanes_on_one_address", 0) for a in found[kernel]["accesses"])
        hold(f"{kernel}: lanes on one address", met, each * 512)
    return failures


def check_long_run(cc, folder):
    """Ten times as long a run: neither the memory nor the counts' text is larger. One warp of eight works."""
    program = folder / "long_run"
    run(cc, "--xray", "--reuse", "-std=c++20", here / "long_run.cu", "-o", program)
    peak, text = {}, {}
    for n in (10_000, 100_000):
        kib, text[n] = run(program, n).split("\n", 1)
        peak[n] = int(kib)
    counted = {n: json.loads(t)["launches"] for n, t in text.items()}
    failures = []
    for n, launches in counted.items():
        turns = next(x for x in launches if x["kernel"] == "turns")
        loads = sum(a["requests"] for a in turns["accesses"] if a["kind"] == "load")
        if loads != n:
            failures.append(f"turns: {loads} loads of a warp in {n} turns")
    short, long = min(peak), max(peak)
    print(f"peak memory: {peak[short]} KiB for {short} turns, {peak[long]} KiB for {long}")
    if peak[long] > peak[short] + 4096:
        failures.append(f"memory grows with the run: {peak} KiB")
    if len(text[long]) > 1.1 * len(text[short]):
        failures.append(f"the counts grow with the run: {len(text[short])} bytes, {len(text[long])}")  # fmt: skip
    first = next(x for x in counted[short] if x["kernel"] == "first_warp")
    unevenness = 8 * first["busiest_warp"] / first["all_warps"]
    if not 7.5 < unevenness <= 8:
        failures.append(f"first_warp: the busiest warp does {unevenness} times as much as the average one")  # fmt: skip
    return failures


def main():
    cc, folder = Path(sys.argv[1]), Path(sys.argv[2])
    program = build(cc, folder)
    file = folder / "xray.json"
    begin = time.time()
    run(program, env={"SIMT_XRAY_JSON": str(file), "PATH": "/usr/bin:/bin"})
    counted = json.loads(file.read_text())
    failures = check_theory(counted, "kernels.cu", 25) + check_sampling(program, folder)
    failures += check_spaces(cc, folder) + check_lanes(counted) + check_long_run(cc, folder)
    failures += check_code(cc, folder)
    for counts, name in ((counted, "recorded.json"), (json.loads((folder / "spaces.json").read_text()), "recorded_spaces.json")):  # fmt: skip
        failures += check_whole_warps(counts, json.loads((here / name).read_text()))
    if (here / "recorded.json").exists():
        done = subprocess.run(
            [sys.executable, here / "compare.py", file, folder / "spaces.json", "--check"],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            failures.append(done.stdout + done.stderr)
    print(f"{len(counted['launches'])} launches counted in {time.time() - begin:.1f} s")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
