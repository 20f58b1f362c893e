#!/usr/bin/env python3
"""The sentences of `warpath xray` about small programs: each names what is wrong with its access, and nothing else.

sentence_test.py WARPATH
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = """#include <cuda_runtime.h>
__global__ void kernel(const float* x, float* y, int rows, int cols) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += gridDim.x * blockDim.x)
"""
TAIL = """
}
int main() {
  const int rows = 64, cols = 700;
  float *x, *y;
  cudaMalloc(&x, sizeof(float) * 3 * rows * cols), cudaMalloc(&y, sizeof(float) * 3 * rows * cols);
  cudaMemset(x, 0, sizeof(float) * 3 * rows * cols);
  kernel<<<32, 128>>>(x, y, rows, cols);
  return cudaDeviceSynchronize();
}
"""
# Line 4 of each program, and what the sentence about its reads says.
PROGRAMS = {
    "    y[i] = x[i];": None,
    "    y[i] = x[i + 1];": "reads neighbouring elements, but begins inside a 32-byte sector",
    # Some warps are at the end of a row: the distance of their lanes is not the same everywhere.
    "    y[i] = x[i / cols * (cols + 9) + i % cols + 1];": "reads neighbouring elements, but begins inside a 32-byte sector",
    "    y[i] = x[2 * i];": "reads with a stride of 8 bytes between neighbouring lanes",
    "    y[i] = x[i * 7 % cols * rows + i % rows];": "reads scattered addresses",
    # Pieces of two elements are no neighbours.
    "    y[i] = x[i / 2 * 5 % (rows * cols) + i % 2 + 1];": "reads scattered addresses",
}  # fmt: skip


TAKES_THEM = """#include <simt/counts.h>
__global__ void kernel(float* x) { x[threadIdx.x] = 1; }
int main() {
  float* x;
  cudaMalloc(&x, 128);
  kernel<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  return simt::take_counts().find("kernel") == std::string::npos;
}
"""


STRIDED = """#include <cuda_runtime.h>
template <class T>
__global__ void kernel(const T* x, T* y) {
  __shared__ T tile[256];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[2 * threadIdx.x % 256 + threadIdx.x / 128];
}
int main() {
  TYPE *x, *y;
  cudaMalloc(&x, sizeof(TYPE) * 256), cudaMalloc(&y, sizeof(TYPE) * 256);
  cudaMemset(x, 0, sizeof(TYPE) * 256);
  kernel<TYPE><<<1, 256>>>(x, y);
  return cudaDeviceSynchronize();
}
"""
# What would put every second element into different banks: an address that a GPU takes.
PADDING = {
    "float": "A row of 3 words instead of 2 would put them in different banks: pad it by one.",
    "float2": "A row of 24 bytes instead of 16 would put them in different banks: pad it by 8 bytes, one access, so that all stay aligned.",
    "float4": "A row of 48 bytes instead of 32 would put them in different banks: pad it by 16 bytes, one access, so that all stay aligned.",
}  # fmt: skip

# What ptxas -v prints for the kernel of HEAD.
SPILLS = """#!/bin/sh
cat <<'END'
ptxas info    : Compiling entry function '_Z6kernelPKfPfii' for 'sm_90a'
    400 bytes stack frame, 400 bytes spill stores, 400 bytes spill loads
ptxas info    : Used 255 registers
END
"""


def xray(warpath, text, *flags, **more):
    """What xray prints about a program."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.cu"
        program.write_text(text)
        words = [warpath, "xray", str(program), *flags]
        done = subprocess.run(words, capture_output=True, text=True, check=False, **more)
        assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check_padding(warpath):
    for kind, wanted in PADDING.items():
        told = json.loads(xray(warpath, STRIDED.replace("TYPE", kind), "--no-registers", "--json"))
        said = [w["sentence"] for w in told["waste"] if w["kind"] == "bank conflicts"]
        assert len(said) == 1 and said[0].startswith("program.cu:7 reads"), f"{kind}: {said}"
        assert "2-way" in said[0] and said[0].endswith(wanted), f"{kind}: {said}"


def check_spills(warpath):
    """Spills are waste with a share, named at the kernel's first line; a kernel that has them is not free of waste."""
    with tempfile.TemporaryDirectory() as folder:
        nvcc = Path(folder) / "nvcc"
        nvcc.write_text(SPILLS)
        nvcc.chmod(0o700)
        asked = {"env": {**os.environ, "NVCC": str(nvcc)}}
        text = HEAD + "    y[i] = x[i];" + TAIL
        told = json.loads(xray(warpath, text, "--json", **asked))
        said = xray(warpath, text, **asked)
    first = told["waste"][0]
    assert first["kind"] == "spills" and 0.5 < first["share"] < 1, told["waste"]
    assert first["sentence"].startswith("program.cu:2 spills registers") and first["line"] == 2
    assert not told["left"] and "Nothing" not in said and "program.cu:2 spills" in said, said


# Blocks of other sizes, of HEAD's kernel.
BLOCKS = {
    1: "launches blocks of 1 thread: 31 of a warp's 32 lanes have nothing to do.",
    33: "launches blocks of 33 threads: the last of their 2 warps has 1 of 32 lanes",
    100: "launches blocks of 100 threads: the last of their 4 warps has 4 of 32 lanes",
    120: None,
    128: None,
}


def check_blocks(warpath):
    """Lanes that a block has no threads for are its size's fault, not that of a branch, which splits a warp or two."""
    for block, wanted in BLOCKS.items():
        text = HEAD.replace("for (int i", "int i").replace("; i < rows", ";\n  if (i < rows")
        text = text.replace("; i += gridDim.x * blockDim.x)", ")") + "    y[i] = x[i];" + TAIL
        text = text.replace("<<<32, 128>>>", f"<<<3000 / {block}, {block}>>>")
        told = json.loads(xray(warpath, text, "--no-registers", "--json"))
        said = [w for w in told["waste"] if w["kind"] in ("partial warps", "divergence")]
        if wanted is None:
            assert not said, f"{block}: {said}"
            continue
        assert len(said) == 1 and said[0]["sentence"].startswith(f"program.cu:12 {wanted}"), f"{block}: {told['waste']}"  # fmt: skip
        if block <= 33:
            assert said == told["waste"][:1] and not told["left"], f"{block}: {told}"


def check_failed(warpath):
    """What a program that failed counted until then is told as that; one that was killed says so."""
    for end, why in (("return 3", "it ended with status 3"), ("abort()", "")):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.cu"
            text = HEAD + "    y[i] = x[i];" + TAIL
            text = text.replace("return cudaDeviceSynchronize();", f"cudaDeviceSynchronize(); {end};")  # fmt: skip
            program.write_text("#include <cstdlib>\n" + text)
            done = subprocess.run([warpath, "xray", str(program), "--no-registers"], capture_output=True, text=True, check=False)  # fmt: skip
        if why:
            assert done.returncode == 0 and f"note: {why}" in done.stdout, done.stdout
        else:
            assert done.returncode == 2 and "was ended by signal 6" in done.stderr, done.stderr


def check_taken(warpath):
    """Nothing is left to be told of a program that took its counts itself."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.cu"
        program.write_text(TAKES_THEM)
        done = subprocess.run([warpath, "xray", str(program)], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2 and "takes the counts itself" in done.stderr, done.stderr


def check_built(warpath):
    """A program that `cc --xray` built is counted as its source is; so are the counts that it writes when it is run alone."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.cu"
        program.write_text(HEAD + "    y[i] = x[2 * i];" + TAIL)

        def told(*words):
            done = subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=folder, check=False)  # fmt: skip
            assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
            return done.stdout + done.stderr

        told(Path(warpath).parent / "warpath-cc", "--xray", program, "-o", "a")
        waste = {}
        for what in ("program.cu", "./a", "xray.json"):
            if what == "xray.json":
                assert "`warpath xray xray.json` explains them" in told("./a")
            x = json.loads(told(warpath, "xray", what, "--no-registers", "--json"))
            waste[what] = [(w["kind"], w["line"], w["sentence"], w["cycles"]) for w in x["waste"]]
            assert x["title"] == Path(what).name, x["title"]
        said = told(warpath, "xray", "./a", "--no-registers")
        sampled = json.loads(told(warpath, "xray", "./a", "--no-registers", "--blocks", "4", "--json"))  # fmt: skip
        for words, why in (
            (("./a", "7"), "./a takes no words of its own here"),
            (("./a", "--op", "relu"), "./a is a program; --op is for a .cu file"),
        ):
            done = subprocess.run([warpath, "xray", *words], capture_output=True, text=True, cwd=folder, check=False)  # fmt: skip
            assert done.returncode == 2 and why in done.stderr, done.stdout + done.stderr
    assert sampled["note"] == "4 of 32 blocks were counted, evenly over the grid", sampled["note"]
    assert "note" not in x, x["note"]
    parts = {k: sampled["totals"][k] for k in ("global load sectors, at least", "global store sectors, at least")}  # fmt: skip
    assert 0 < parts["global store sectors, at least"] == parts["global load sectors, at least"], (
        parts
    )
    assert waste["program.cu"] == waste["./a"] == waste["xray.json"], waste
    sentence = waste["./a"][0][2]
    assert "program.cu:4 reads with a stride of 8 bytes" in sentence, sentence
    sums = next(line.split() for line in said.splitlines() if "global load sectors" in line)
    assert sums[-1] == "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", sums
    assert f"1. {sentence}" in said and "y[i] = x[2 * i];" in said, said


def main():
    warpath = str(Path(sys.argv[1]).resolve())
    check_taken(warpath)
    check_failed(warpath)
    check_built(warpath)
    check_padding(warpath)
    check_spills(warpath)
    check_blocks(warpath)
    for line, wanted in PROGRAMS.items():
        waste = json.loads(xray(warpath, HEAD + line + TAIL, "--no-registers", "--json"))["waste"]
        said = [w["sentence"] for w in waste if w["kind"] == "coalescing"]
        if wanted is None:
            assert not said, f"{line}: {said}"
        else:
            assert len(said) == 1 and f"program.cu:4 {wanted}" in said[0], f"{line}: {said}"


if __name__ == "__main__":
    main()
