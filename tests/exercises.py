"""The exercises of the course: every stub compiles and is refused as it is, its hints are there; and the grader refuses what is
no solution.

    exercises.py PROGRAM stubs        of every op that an open day names, the lowest such rung; the hints of all of them
    exercises.py PROGRAM stubs all    of every rung that an open day names
    exercises.py PROGRAM cheats       of the first exercise

Those in Triton and WGSL are in python/tests/test_exercises.py.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(sys.argv[1]).resolve()
OPS = ROOT / "ops"
FIRST = OPS / "elementwise/vector_add/01_naive.cu"


def warpath(*words: str, folder: str | Path = ROOT) -> subprocess.CompletedProcess:
    return subprocess.run(
        [PROGRAM, *words], check=False, capture_output=True, text=True, cwd=folder
    )


# --- stubs ------------------------------------------------------------------------------------------------------------


def named_rungs() -> dict[str, str]:
    """The files of the rungs that days name, my/softmax/02_shared.cu, each with such a day."""
    days = {}
    for track in "ABCDE":
        for day in json.loads(warpath("days", track, "--json").stdout)["days"]:
            if any(
                line["command"].startswith("./warpath start") for line in day.get("commands", [])
            ):
                where = warpath("start", day["id"], "--where").stdout.split()[1]
                if where.endswith(".cu"):
                    days.setdefault(where, day["id"])
    return dict(sorted(days.items()))


def trouble_with_hints(day: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        hints = warpath("hint", day, "--all", folder=folder)
    missing = hints.returncode != 0 or "  3. " not in hints.stdout
    return f"{day}: fewer than three hints: {hints.stdout}{hints.stderr}" if missing else ""


def trouble_with_stub(day: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        started = warpath("start", day, folder=folder)
        files = list(Path(folder).glob("my/*/*.cu"))
        if started.returncode != 0 or len(files) != 1:
            return f"{day}: not started: {started.stderr}"
        checked = warpath("check", str(files[0]), "--json", "--brief", folder=folder)
        if checked.returncode == 2:
            return f"{day}: the stub of {files[0].stem} does not compile: {checked.stderr}"
        if checked.returncode == 0:
            return f"{day}: the stub of {files[0].stem} passes as it is"
    return ""


# What people type, and the file it is.
WORDS = {
    "softmax": "softmax/01_naive.cu",
    "softmax/02": "softmax/02_shared.cu",
    "softmax_backward/02": "softmax/backward_02_shared.cu",
    "softmax/backward_02": "softmax/backward_02_shared.cu",
    "nf4_dequantize/02": "nf4_quantize/dequantize_02_shared.cu",
    "my/softmax/backward_02_shared.cu": "softmax/backward_02_shared.cu",
}


def trouble_with_word(word: str) -> str:
    told = warpath("start", word, "--where").stdout.split()
    right = len(told) > 1 and told[1].endswith(WORDS[word])
    return "" if right else f"start {word} is {told}, not {WORDS[word]}"


def stubs() -> list[str]:
    rungs = named_rungs()
    lowest = {}  # of each op's folder
    for file in rungs:
        lowest.setdefault(Path(file).parent, file)
    compiled = rungs if sys.argv[3:] == ["all"] else lowest.values()
    print(f"{len(rungs)} exercises, {len(compiled)} compiled")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        troubles = list(pool.map(trouble_with_hints, rungs.values()))
        troubles += pool.map(trouble_with_stub, [rungs[file] for file in compiled])
        troubles += pool.map(trouble_with_word, WORDS)
    return [t for t in troubles if t] if rungs else ["no open day has a kernel to write"]


# --- cheats -----------------------------------------------------------------------------------------------------------

STORE = "c[i] = from_float<T>(to_float(a[i]) + to_float(b[i]));"
LAUNCH = "  if (n == 0) return;\n"
TOP = "namespace warpath::vector_add {\nnamespace {\n"


def edited(old: str, new: str) -> str:
    text = FIRST.read_text()
    assert old in text, f"{FIRST} no longer has: {old}"
    return text.replace(old, new, 1)


def with_include(line: str) -> str:
    return f"{line}\n" + FIRST.read_text()


def in_launcher(line: str) -> str:
    return edited(LAUNCH, LAUNCH + f"  {line}\n")


# Name, source, a part of the reason.
CHEATS = [
    ("the vendor's library", with_include("#include <cub/cub.cuh>"), "vendor's library"),
    ("Thrust", with_include("#include <thrust/transform.h>"), "vendor's library"),
    ("our solution", with_include(f'#include "{FIRST.relative_to(ROOT)}"'), "another rung"),
    (
        "a kernel of ours",
        with_include('#include "ops/elementwise/pointwise.cuh"'),
        "kernels of ours",
    ),
    ("another stream", in_launcher("cudaStream_t s; cudaStreamCreate(&s);"), "another stream"),
    ("a thread", with_include("#include <thread>"), "no kernel needs"),
    ("a thread without its header", in_launcher("std::thread t([] {});"), "starts a thread"),
    ("results kept", in_launcher("static void* kept = nullptr;"), "one launch to the next"),
    (
        "results kept on the device",
        edited(TOP, TOP + "__device__ float kept[16];\n"),
        "one launch to the next",
    ),
    ("memory of its own", in_launcher("void* p; cudaMalloc(&p, 64);"), "allocates memory"),
    ("the clock", in_launcher("timespec t; clock_gettime(0, &t);"), "looks at the clock"),
    ("the reference", in_launcher('dlsym(nullptr, "warpath_library");'), "reference"),
    ("the process", in_launcher("sigaction(11, nullptr, nullptr);"), "tampers with the process"),
    ("files", in_launcher('fopen("/proc/self/mem", "r");'), "reaches outside"),
    ("the registration", edited(TOP, "#define WARPATH_RUNG(...)\n" + TOP), "registered"),
    ("nothing", edited(STORE, ";"), "did not write"),
    (
        "its inputs changed",
        edited(STORE, "{ " + STORE + " const_cast<T*>(a)[i] = T(0.0f); }"),
        "changed",
    ),
    (
        "most cases turned away",
        edited(
            "WARPATH_RUNG(Args, launch",
            'std::string few(const Args& a) { return a.c.size() > 1 ? "no" : ""; }\n'
            "WARPATH_RUNG(Args, launch, .supports = few",
        ),
        "our solution",
    ),
    ("another op", (OPS / "elementwise/relu/01_naive.cu").read_text(), "kernel"),
    (
        "out of bounds",
        edited("if (i < n) ", ""),
        "of the 2-byte allocation, at mine.cu:",  # of a finding: what, and at which line
    ),
    (
        "a loop without end",
        edited(STORE, "for (volatile bool on = true; on;) {} " + STORE),
        "longer than",
    ),
]


def trouble_with_cheat(cheat: tuple[str, str, str]) -> str:
    name, source, reason = cheat
    limit = 20 if reason == "longer than" else 200  # only one is meant to wait for it
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.cu"
        file.write_text(source)
        said = warpath(
            "grade", "vector_add/01", str(file), "--json", "--timeout", str(limit), folder=folder
        )
        if said.returncode != 1:
            return f"{name}: exit status {said.returncode}: {said.stdout}{said.stderr}"
        grade = json.loads(said.stdout)["grades"][0]
        reasons = [*grade["refused"], *(p["note"] for p in grade["parts"] if p["points"] < p["of"])]
        if grade["passed"] or not any(reason in r for r in reasons):
            return f"{name}: expected '{reason}' in {reasons}"
    return ""


def cheats() -> list[str]:
    print(f"{len(CHEATS)} cheats")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        troubles = [t for t in pool.map(trouble_with_cheat, CHEATS) if t]
    with tempfile.TemporaryDirectory() as folder:
        said = warpath("grade", "A1", str(FIRST), "--json", folder=folder)
        if said.returncode != 0 or json.loads(said.stdout)["grades"][0]["points"] != 100:
            troubles.append(f"our own solution: {said.stdout}{said.stderr}")
        progress = Path(folder) / "my/progress.json"
        if not progress.exists() or "A1" not in json.loads(progress.read_text())["done"]:
            troubles.append("grade A1 did not mark the day")
    # The file that was started for a day marks it, also where the day is not named again.
    with tempfile.TemporaryDirectory() as folder:
        warpath("start", "A1", folder=folder)
        mine = Path(folder) / "my/vector_add/01_naive.cu"
        head = mine.read_text().split("// One thread")[0]
        mine.write_text(head + FIRST.read_text())
        said = warpath("grade", folder=folder)
        if "day A1 is done" not in said.stdout:
            troubles.append(
                f"grade of a file of day A1 did not mark the day: {said.stdout}{said.stderr}"
            )
    return troubles


def main() -> int:
    troubles = {"stubs": stubs, "cheats": cheats}[sys.argv[2]]()
    print("\n".join(troubles))
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
