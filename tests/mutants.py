"""Breaks a rung in every way that a forgotten line can: the checks must find each.

    mutants.py WARPATH_CC OP_FOLDER/mutants.py [--list | NUMBER...]

Leaves out every wait, arrival, fence, barrier and commit, one at a time, and inverts every parity: in the rung, in the
other files whose kernels it launches and in the headers they include. The program is compiled once, with a number that
chooses what is broken, and run once per mutant under --check: a finding, a fault or a wrong result counts as caught.
Prints one line per mutant. Exits with 1 if one was missed that is not in KNOWN, or if the unbroken rung does not pass.
With numbers, as --list counts them, only these mutants are tried.

The file in the op's folder, mutants.py or mutants_ANYTHING.py, says what to break:
    RUNG      its file
    OTHERS    other .cu files of the folder whose kernels it launches
    HOST      .cpp files of the folder that the program calls
    CALLS     regular expressions for more calls to leave out: functions of the op that wait or arrive
    UNUSED    included headers with waits and fences that this rung does not use
    ADDED     (name, file, what, with what): mutants that are no line less
    EDITS     (file, what, with what) before compiling: fewer instances, numbers that suit a small problem
    PROGRAM   the end of the program: main(mutant, arguments...) launches rung(), fails when a result is wrong
    RUNS      (environment, arguments) under each of which a mutant is tried until one catches it
    MORE_RUNS more of them, which only the unbroken rung must pass
    KNOWN     mutants that the checks do not find, as --list names them, each with the reason
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A statement on a line of its own whose only effect is ordering.
CALL = (
    r"ptx::(?:wait\w*|arrive\w*|fence_\w+|sync_\w+|commit_\w+|store_release|add_in_order)(?:<[^;]*?>)?\(.*\)"
    r"|__syncthreads\(\)|__threadfence\(\)|(?:leave|await)_cluster<\w+>\(\)|finish_stores\(\)"
)
PARITY = re.compile(r"(?:state\.|_)parity(?: \^ 1)?\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)

# The beginning of every op's program. The number of the mutant is in constant memory, so that one program holds all
# mutants.
START = "#pragma once\nstatic __constant__ int mutant;\n"
MAIN = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/host/registry.h"

const warpath::Rung& rung() {
  for (const warpath::Rung& r : warpath::library().rungs)
    if (r.name == RUNG_NAME) return r;
  std::abort();
}
void choose_mutant(const char* number) {
  const int value = std::atoi(number);
  cudaMemcpyToSymbol(mutant, &value, sizeof value);
}
"""


def sources_of(op: dict, folder: Path) -> list[str]:
    """The files of the rung, each after what it includes, as paths from the root."""
    found: list[str] = []

    def add(path: str) -> None:
        if path in found or not (ROOT / path).is_file():
            return
        for included in INCLUDE.findall((ROOT / path).read_text()):
            add(included)
        found.append(path)

    for name in [op["RUNG"], *op["OTHERS"]]:
        add(str((folder / name).relative_to(ROOT)))
    return found


def instrument(name: str, text: str, mutants: list[str], calls: list[str]) -> str:
    """The file with all its mutants in it."""
    one = re.compile(
        rf"^(\s*)((?:if (?:constexpr )?\([^;{{}}]*\) )?(?:{'|'.join([CALL, *calls])}));(.*)$"
    )
    lines, seen = [], []
    ordinals = [", first", ", second", ", third", ", fourth"]
    for line in text.split("\n"):
        original, match = line, one.match(line)
        if match:
            blank, statement, rest = match.groups()
            seen.append(statement)
            several = text.count(f"{statement};") > 1
            which = ordinals[seen.count(statement) - 1] if several else ""
            mutants.append(f"{name}: without {statement}{which}")
            line = f"{blank}{{ if (mutant != {len(mutants)}) {{ {statement}; }} }}{rest}"
        parity = PARITY.search(line)
        if parity:
            where = f"{statement}{which}" if match else original.strip()
            mutants.append(f"{name}: the other parity in {where}")
            inverted = f"{parity[0][:-1]} ^ unsigned(mutant == {len(mutants)}))"
            line = line[: parity.start()] + inverted + line[parity.end() :]
        if "parity ^= 1;" in line:
            mutants.append(f"{name}: the parity never flips")
            line = line.replace("parity ^= 1;", f"parity ^= (mutant != {len(mutants)});")
        lines.append(line)
    return "\n".join(lines)


def edited(path: str, text: str, edits: list[tuple[str, str, str]]) -> str:
    for file, old, new in edits:
        if Path(path).name == file:
            assert len(re.findall(old, text)) == 1, f"{path} has changed: not one '{old}' in it"
            text = re.sub(old, new, text)
    return text


def write(op: dict, op_folder: Path, folder: Path) -> list[str]:
    """Writes the program into `folder`; the names of its mutants."""
    mutants: list[str] = []
    sources = sources_of(op, op_folder)
    assert all(any(Path(s).name == file for s in sources) for file, _, _ in op["EDITS"])
    for path in sources:
        text, file = (ROOT / path).read_text(), Path(path).name
        if file not in op.get("UNUSED", []):
            text = instrument(file, text, mutants, op.get("CALLS", []))
        for what, _, old, new in (added for added in op.get("ADDED", []) if added[1] == file):
            mutants.append(f"{file}: {what}")
            text = edited(
                file, text, [(file, old, new.replace("MUTANT", f"(mutant == {len(mutants)})"))]
            )
        text = edited(path, text, op["EDITS"])
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "mutant.h").write_text(START)
    name = f'#define RUNG_NAME "{Path(op["RUNG"]).stem.removeprefix("backward_")}"\n'
    files = "".join(f'#include "{path}"\n' for path in sources if path.endswith(".cu"))
    (folder / "mutants.cu").write_text(
        '#include "mutant.h"\n' + files + name + MAIN + op["PROGRAM"]
    )
    return mutants


def build(compiler: Path, op: dict, op_folder: Path, folder: Path) -> Path:
    program = folder / "mutants"
    host = sorted((ROOT / "core" / "host").glob("*.cpp"))
    host += [op_folder / file for file in op.get("HOST", [])]
    subprocess.run(
        [
            compiler,
            "--check",
            "-std=c++20",
            "--expt-relaxed-constexpr",
            "-O1",
            f"-I{folder}",
            f"-I{ROOT}",
            folder / "mutants.cu",
            *host,
            "-o",
            program,
        ],
        check=True,
    )
    return program


def run(
    program: Path, number: int, environment: dict[str, str], arguments: list[str]
) -> tuple[int, str]:
    done = subprocess.run(
        [program, str(number), *arguments],
        env=os.environ | {"SIMT_TIMEOUT": "20"} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = [
        line.split(": ", 1)[1]
        for line in (done.stderr + done.stdout).split("\n")
        if line.startswith(("simt check: ", "simt: "))
    ]
    return done.returncode, said[0] if said else f"exit status {done.returncode}"


def main() -> int:
    compiler, file = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    op = runpy.run_path(str(file))
    chosen = {int(number) for number in sys.argv[3:] if number != "--list"}
    with tempfile.TemporaryDirectory() as folder:
        mutants = write(op, file.parent, Path(folder))
        if "--list" in sys.argv:
            print("\n".join(f"{number} {mutant}" for number, mutant in enumerate(mutants, 1)))
            return 0
        program = build(compiler, op, file.parent, Path(folder))
        for environment, arguments in [*op["RUNS"], *op["MORE_RUNS"]]:
            status, what = run(program, 0, environment, arguments)
            if status != 0:
                print(f"the rung itself, {environment}, {arguments}: {what}")
                return 1
        missed = []
        for number, mutant in enumerate(mutants, 1):
            if chosen and number not in chosen:
                continue
            for environment, arguments in op["RUNS"]:
                status, what = run(program, number, environment, arguments)
                if status != 0:
                    break
            print(f"{'caught' if status else 'MISSED'}  {mutant}\n        {what}", flush=True)
            if status == 0:
                missed.append(mutant)
    tried = len(chosen) or len(mutants)
    print(f"{tried - len(missed)} of {tried} caught")
    unknown = set(op["KNOWN"]) - set(mutants)
    if unknown:
        print("no such mutants: " + "; ".join(sorted(unknown)))
    return 1 if unknown or set(missed) - set(op["KNOWN"]) else 0


if __name__ == "__main__":
    sys.exit(main())
