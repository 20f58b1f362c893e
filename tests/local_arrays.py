"""Rungs whose idea is that something stays in registers: nvcc puts none of their arrays into local memory.

    local_arrays.py NVCC ROOT

An array is kept in registers if every index of it is constant in the end. One that is not takes the whole array to local
memory, a store and a load where there were none: the results are the same, and no run on a CPU shows it. ptxas does: a stack
frame larger than what was spilled.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

RUNGS = (
    "image/blur/07_walk",
    "norm/instance_norm/05_registers",
    "norm/instance_norm/backward_04_registers",
    "order/top_k/03_warp",
    "order/top_k/08_queues",
    "softmax/cross_entropy/backward_03_rows",
)
FLAGS = (
    "-cubin -arch=sm_90a -std=c++20 --expt-relaxed-constexpr -Xcudafe=--diag_suppress=177 -Xptxas -v"
    " -DWARPATH_ONE_HALF_TYPE"
)
KERNEL = re.compile(
    r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores",
    re.DOTALL,
)


def frames(nvcc: str, root: Path, rung: str) -> list[tuple[str, int, int]]:
    """Of each kernel its name, the bytes of its stack frame and those that were spilled."""
    with tempfile.TemporaryDirectory() as folder:
        words = [nvcc, *FLAGS.split(), f"-I{root}", f"{root}/ops/{rung}.cu"]
        done = subprocess.run(
            [*words, "-o", f"{folder}/kernels"], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr + f"nvcc refuses {rung}")
    return [(k, int(frame), int(spilled)) for k, frame, spilled in KERNEL.findall(done.stderr)]


def main() -> int:
    nvcc, root = sys.argv[1], Path(sys.argv[2])
    faults = []
    for rung in RUNGS:
        kernels = frames(nvcc, root, rung)
        faults += [] if kernels else [f"{rung}: ptxas said nothing of its kernels"]
        faults += [
            f"{rung}: {kernel} has {frame - spilled} bytes of arrays in local memory"
            for kernel, frame, spilled in kernels
            if frame > spilled
        ]
        print(f"{rung}: {len(kernels)} kernels")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
