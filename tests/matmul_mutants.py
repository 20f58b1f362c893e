"""Breaks the best rung of matmul in every way that a forgotten line can: the checks must see each.

    matmul_mutants.py WARPATH_CC [--list]

Every wait, arrival, fence, barrier and commit of the rung and of the headers it is made of is left out, one at a time, and
every parity is turned over. The program is compiled once, with a number that chooses what is broken, and run for each
under --check: a finding, a fault or a wrong result counts as caught. Prints a line for each and exits with 1 if one was
missed, or if the rung as it is does not pass.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OP = ROOT / "ops" / "matmul"
RUNG = "18_stream_k_sm90.cu"
HEADERS = [
    "hopper.cuh",
    "hopper_cluster.cuh",
    "hopper_staged.cuh",
    "hopper_run.cuh",
    "hopper_parts.cuh",
    "hopper_rest.cuh",
    "hopper_stream.cuh",
    "hopper_whole.cuh",
]

# A statement on a line of its own that does nothing but keep an order.
CALL = (
    r"(?:ptx::(?:wait\w*|arrive\w*|fence_\w+|sync_\w+|commit_\w+|store_release|add_in_order)(?:<[^;]*?>)?\(.*\)"
    r"|__syncthreads\(\)|__threadfence\(\)|(?:leave|await)_sharers<\w+>\(\)|finish_stores\(\))"
)
STATEMENT = re.compile(rf"^(\s*)((?:if (?:constexpr )?\([^;{{}}]*\) )?{CALL});(.*)$")
PARITY = re.compile(r"turn\.parity(?: \^ 1)?\)")

# The order of blocks among themselves is judged with leniency: a fence anywhere in a block counts for all that the block
# did before, and an acquire by one thread for all, whatever value it saw. And a cluster's last barrier matters only when a
# block is gone before its neighbour reaches into it, which takes another order of blocks than simt's. These pass.
KNOWN = [
    "hopper_cluster.cuh: without if constexpr (Tile::cluster > 1) ptx::wait_for_cluster()",
    "hopper_parts.cuh: without await_sharers<Tile>()",
    "hopper_rest.cuh: without await_sharers<Tile>()",
    "hopper_stream.cuh: without ptx::sync_some(first_free_barrier + group, ptx::warp_group)",
    "hopper_stream.cuh: without ptx::store_release(flag, 0)",
    "hopper_stream.cuh: without await_sharers<Tile>()",
    "hopper_whole.cuh: without await_sharers<Tile>()",
]

MAIN = r"""
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int, char** arguments) {
  const int number = std::atoi(arguments[1]);
  cudaMemcpyToSymbol(mutant, &number, sizeof number);
  using namespace warpath;
  const int m = std::atoi(arguments[2]), n = 520, k = 392;
  std::vector<__nv_bfloat16> a(m * k), b(n * k), d(m * n);
  unsigned seed = 1;
  const auto random = [&] { return float(int((seed = seed * 1664525u + 1013904223u) >> 24) - 128) / 64; };
  for (auto& x : a) x = __float2bfloat16(random());
  for (auto& x : b) x = __float2bfloat16(random());
  matmul::Args args;
  const auto tensor = [](Tensor& t, auto& host, int rows, int columns, int row, int column) {
    cudaMalloc(&t.data, host.size() * 2);
    cudaMemcpy(t.data, host.data(), host.size() * 2, cudaMemcpyHostToDevice);
    t.dtype = DType::bf16;
    t.rank = 3;
    t.shape = {1, rows, columns};
    t.stride = {rows * columns, row, column};
  };
  tensor(args.a, a, m, k, 1, m);  // turned: a warp reads from all rows of a stage
  tensor(args.b, b, k, n, 1, k);
  tensor(args.d, d, m, n, n, 1);
  const Rung& rung = library().rungs.at(0);
  args.scratch.bytes = rung.scratch(&args);
  cudaMalloc(&args.scratch.data, args.scratch.bytes);
  cudaMemset(args.scratch.data, 0, args.scratch.bytes);
  int wrong = 0;
  for (int launch = 0; launch < 2; ++launch) {  // the second must find the flags as the first did
    for (auto& x : a) x = __hneg(x);
    cudaMemcpy(args.a.data, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
    cudaMemset(args.d.data, 0xff, d.size() * 2);
    rung.launch(&args, nullptr);
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
      std::printf("simt: %s\n", cudaGetErrorString(error));
      return 3;
    }
    cudaMemcpy(d.data(), args.d.data, d.size() * 2, cudaMemcpyDeviceToHost);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l)
          sum += double(__bfloat162float(a[l * m + i])) * __bfloat162float(b[j * k + l]);
        const double got = __bfloat162float(d[i * n + j]);
        wrong += !(std::abs(got - sum) <= 0.005 * std::abs(sum) + 0.01);
      }
  }
  for (void* p : {args.a.data, args.b.data, args.d.data, args.scratch.data}) cudaFree(p);
  if (wrong) std::printf("simt: %d of %d elements are wrong\n", wrong, 2 * m * n);
  return wrong ? 3 : 0;
}
"""


def instrument(name: str, text: str, mutants: list[str]) -> str:
    """The file with all its mutants in it."""
    lines, seen = [], []
    for line in text.split("\n"):
        original, match = line, STATEMENT.match(line)
        if match:
            blank, statement, rest = match.groups()
            seen.append(statement)
            which = (
                ""
                if text.count(f"{statement};") < 2
                else [", first", ", second"][seen.count(statement) - 1]
            )
            mutants.append(f"{name}: without {statement}{which}")
            line = f"{blank}{{ if (mutant != {len(mutants)}) {{ {statement}; }} }}{rest}"
        parity = PARITY.search(line)
        if parity:
            mutants.append(f"{name}: the other parity in {original.strip()}")
            turned = f"{parity[0][:-1]} ^ unsigned(mutant == {len(mutants)}))"
            line = line[: parity.start()] + turned + line[parity.end() :]
        if "parity ^= 1;" in line:
            mutants.append(f"{name}: the parity never turns")
            line = line.replace("parity ^= 1;", f"parity ^= (mutant != {len(mutants)});")
        lines.append(line)
    return "\n".join(lines)


def replaced(text: str, old: str, new: str) -> str:
    assert old in text, f"the rung has changed: no '{old}' in it"
    return text.replace(old, new, 1)


def build(compiler: Path, folder: Path) -> tuple[Path, list[str]]:
    mutants: list[str] = []
    shutil.copytree(ROOT / "core", folder / "core")
    for header in sorted([*OP.glob("*.cuh"), *OP.glob("*.h")]):
        text = header.read_text()
        if header.name in HEADERS:
            text = instrument(header.name, text, mutants)
            # Handing on must pay in so small a problem.
            text = re.sub(r"(leave|uneven)_steps = \d+", r"\1_steps = 0", text)
            text = re.sub(
                r"constexpr int narrow_steps = \d+",
                'const int narrow_steps = std::getenv("NARROW") ? -1000 : 1000',
                text,
            )
        if header.name == "hopper.cuh":
            text = replaced(text, "#pragma once", "#pragma once\nstatic __constant__ int mutant;")
        if header.name == "hopper_launch.cuh":  # one form is enough, and compiles soon
            text = replaced(text, "dispatch_float(args.a.dtype, by_layout);", "")
            text = replaced(
                text, "const auto by_layout", "f(Form<__nv_bfloat16, true, false>{});\n#if 0\n"
            )
            text = replaced(text, "  CUDA_CHECK(cudaGetLastError());", "#endif\n")
        (folder / header.name).write_text(text)
    source = folder / "mutants.cu"
    source.write_text(instrument(RUNG, (OP / RUNG).read_text(), mutants) + MAIN)
    program = folder / "mutants"
    subprocess.run(
        [compiler, "--check", "-std=c++20", "-O1", f"-I{folder}", source, "-o", program]
        + [ROOT / "core" / "registry.cpp", ROOT / "core" / "contract.cpp"],
        check=True,
    )
    return program, mutants


def run(
    program: Path, number: int, multiprocessors: int, rows: int, narrow: bool = False
) -> tuple[int, str]:
    environment = os.environ | {
        "SIMT_MULTIPROCESSORS": str(multiprocessors),
        "SIMT_TIMEOUT": "20",
    }
    if narrow:
        environment["NARROW"] = "1"
    done = subprocess.run(
        [program, str(number), str(rows)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [
        line.split(": ", 1)[1]
        for line in (done.stdout + done.stderr).split("\n")
        if line.startswith(("simt check: ", "simt: "))
    ]
    return done.returncode, said[0] if said else f"exit status {done.returncode}"


def main() -> int:
    compiler = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        program, mutants = build(compiler, Path(folder))
        if "--list" in sys.argv:
            print("\n".join(mutants))
            return 0
        # Multiprocessors and rows: clusters of two and single blocks that share out a round and a bit, or all tiles;
        # one cluster that takes them whole, one after the other; and a last round of narrower tiles, which are the last
        # columns of d or its last rows.
        sizes = [(4, 136), (132, 136), (2, 120), (132, 120), (2, 256)]
        sizes += [(4, 136, True)]
        for size in [*sizes, (8, 704, True)]:
            status, what = run(program, 0, *size)
            if status != 0:
                print(f"the rung itself, {size[0]} multiprocessors, {size[1]} rows: {what}")
                return 1
        missed = []
        for number, mutant in enumerate(mutants, 1):
            for size in sizes:
                status, what = run(program, number, *size)
                if status != 0:
                    break
            print(f"{'caught' if status else 'MISSED'}  {mutant}\n        {what}", flush=True)
            if status == 0:
                missed.append(mutant)
    print(f"{len(mutants) - len(missed)} of {len(mutants)} caught")
    return 1 if set(missed) - set(KNOWN) else 0


if __name__ == "__main__":
    sys.exit(main())
