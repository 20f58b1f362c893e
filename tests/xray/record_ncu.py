#!/usr/bin/env python3
"""Records what ncu counts for the kernels of this folder: recorded.json, and those of spaces.cu: recorded_spaces.json.
Needs nvcc, ncu and a GPU.

    tests/xray/record_ncu.py [--program kernels|spaces] [--out recorded.json] [--build FOLDER] [--arch sm_90a]

ncu needs the permission to read counters; where it is refused, run this as root. The program launches every kernel
once; ncu plays each one again as often as it has groups of counters, with the caches flushed in between.
"""

import argparse
import concurrent.futures
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

here = Path(__file__).resolve().parent
root = here.parent.parent

METRICS = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "idc__requests.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "smsp__inst_executed.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "smsp__inst_executed_op_global_st.sum",
    "smsp__inst_executed_op_global_red.sum",
    "smsp__inst_executed_op_global_atom.sum",
    "smsp__inst_executed_op_ldgsts.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    "smsp__sass_branch_targets_threads_divergent.sum",
    "smsp__sass_average_branch_targets_threads_uniform.pct",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "memory_l2_theoretical_sectors_global",
    "memory_l2_theoretical_sectors_global_ideal",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "launch__block_size",
    "launch__grid_size",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__occupancy_limit_blocks",
    "sm__maximum_warps_per_active_cycle_pct",
]

# Not compared, and not every ncu has them.
OPTIONAL = [
    "idc__requests_lookup_hit.sum",
    "idc__requests_lookup_miss.sum",
    "idc__request_cycles_active.sum",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "smsp__inst_executed_op_ldsm.sum",
    "smsp__inst_executed_pipe_adu.sum",
    "smsp__inst_executed_pipe_uniform.sum",
]


def run(command, **more):
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=False, **more
    )
    if done.returncode != 0:
        sys.exit(
            f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}\nfailed with status {done.returncode}"
        )
    return done.stdout


def build(folder, arch, name):
    sources = [
        here / "kernels.cu",
        here / "launches.cu",
        root / "core/host/error.cpp",
        *sorted((here / "rungs").glob("*.cu")),
    ]
    if name == "spaces":
        sources = [here / "spaces.cu"]
    target = arch.removeprefix("sm_")
    flags = [f"-gencode=arch=compute_{target},code=sm_{target}", "-std=c++20", "-O3", "-lineinfo",
             "--expt-relaxed-constexpr", "-Xcudafe=--diag_suppress=177", f"-I{root}"]  # fmt: skip
    nvcc = os.environ.get("NVCC", "nvcc")

    def compile_one(source):
        run([nvcc, *flags, "-c", source, "-o", folder / f"{source.stem}.o"])
        return folder / f"{source.stem}.o"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, sources))
    program = folder / f"xray_{name}"
    run([nvcc, *flags, *objects, "-o", program])
    return program


def number(text):
    text = text.replace(",", "")
    try:
        value = float(text)
    except ValueError:
        return None
    return int(value) if value.is_integer() else value


def profile(program, metrics):
    ncu = os.environ.get("NCU") or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function",
               "--clock-control", "none", "--metrics", ",".join(metrics), program]  # fmt: skip
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def parse_raw(text):
    """--page raw: one line for each launch, one column for each metric; a line of units follows the names."""
    begin = text.find('"ID"')
    if begin < 0:
        return None
    rows = list(csv.reader(io.StringIO(text[begin:])))
    names = rows[0]
    launches = []
    for row in rows[1:]:
        if len(row) != len(names) or not row[0].isdigit():
            continue
        values = dict(zip(names, row))
        metrics = {
            n: number(v)
            for n, v in values.items()
            if n in (*METRICS, *OPTIONAL) and number(v) is not None
        }
        launches.append({"kernel": values["Kernel Name"], "grid": values.get("Grid Size", ""),
                         "block": values.get("Block Size", ""), "metrics": metrics})  # fmt: skip
    return launches


def fixed_constant_loads(sass, kernel):
    """From `cuobjdump -sass`: loads of one word of constant memory (parameters, the block's size) that a warp executes
    beside those that the source indexes. ncu counts both in idc__requests.sum."""
    for function in sass.split("Function : ")[1:]:
        if f"{len(kernel)}{kernel}E" in function.split(maxsplit=1)[0]:
            fixed = r"\sLDC(\.\w+)* R\w+, c\[0x\w+\]\[(RZ|0x\w+)\]"
            return len(re.findall(fixed, function))
    return None


def device():
    fields = "name,driver_version,compute_cap"
    done = subprocess.run(
        ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        [f.strip() for f in done.stdout.splitlines()[0].split(",")]
        if done.returncode == 0 and done.stdout
        else ["?"] * 3
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", choices=("kernels", "spaces"), default="kernels")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--compile-only", action="store_true")
    args = parser.parse_args()
    out = args.out or here / {"kernels": "recorded.json", "spaces": "recorded_spaces.json"}[args.program]  # fmt: skip
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.build or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        begin = time.time()
        program = build(folder, args.arch, args.program)
        print(f"built in {time.time() - begin:.0f} s")
        if args.compile_only:
            return
        print(run([program]), end="")
        wanted = [*METRICS, *OPTIONAL]
        unknown = []
        for _ in range(len(wanted)):
            done = profile(program, wanted)
            launches = parse_raw(done.stdout)
            if launches and done.returncode == 0:
                break
            said = done.stdout + done.stderr
            # A metric that this ncu does not have: it is named in the message.
            bad = [
                m
                for m in wanted
                if m in said and ("ailed to find metric" in said or "nvalid" in said)
            ]
            if not bad or len(bad) == len(wanted):
                bad = [m for m in OPTIONAL if m in wanted]
            if not bad:
                sys.exit(f"ncu failed with status {done.returncode}:\n{said[-4000:]}")
            unknown += bad
            wanted = [m for m in wanted if m not in bad]
        sass = run(["cuobjdump", "-sass", "-arch", args.arch, program])
        for launch in launches:
            launch["fixed_constant_loads"] = fixed_constant_loads(sass, launch["kernel"])
        ncu = os.environ.get("NCU") or shutil.which("ncu") or "/usr/local/cuda/bin/ncu"
        version = run([ncu, "--version"]).strip().splitlines()[-1]
        compiler = run([os.environ.get("NVCC", "nvcc"), "--version"]).strip().splitlines()[-2]
    name, driver, capability = device()
    record = {
        "device": name,
        "compute_capability": capability,
        "driver": driver,
        "ncu": version,
        "nvcc": compiler,
        "arch": args.arch,
        "date": time.strftime("%Y-%m-%d"),
        "not_known_to_ncu": unknown,
        "launches": launches,
    }
    # One line per launch: a diff of two records names the kernels that changed.
    lines = [json.dumps(launch, sort_keys=False) for launch in record.pop("launches")]
    text = (
        json.dumps(record, indent=1)[:-2]
        + ',\n "launches": [\n  '
        + ",\n  ".join(lines)
        + "\n ]\n}\n"
    )
    json.loads(text)
    out.write_text(text)
    print(f"{len(lines)} launches in {out}, {time.time() - begin:.0f} s in all")


if __name__ == "__main__":
    main()
