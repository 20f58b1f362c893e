#!/usr/bin/env python3
"""Builds the kernels of this folder with `cc --xray`, runs them, and holds the counts to theory and to ncu.

xray_test.py WARPATH_CC FOLDER
"""

import concurrent.futures
import json
import subprocess
import sys
import time
from pathlib import Path

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


def main():
    cc, folder = Path(sys.argv[1]), Path(sys.argv[2])
    program = build(cc, folder)
    file = folder / "xray.json"
    begin = time.time()
    run(program, env={"SIMT_XRAY_JSON": str(file), "PATH": "/usr/bin:/bin"})
    counted = json.loads(file.read_text())
    failures = check_theory(counted, "kernels.cu", 25) + check_sampling(program, folder)
    failures += check_spaces(cc, folder)
    divergent = next(x for x in counted["launches"] if x["kernel"] == "two_sides")
    if not any(c["splits"] for c in divergent["code"]):
        failures.append("two_sides: no line splits its warps")
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
