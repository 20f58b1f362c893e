#!/usr/bin/env python3
"""What `--check` finds in the wrong programs of this folder, beside what compute-sanitizer finds.

    compare.py measure   on a machine with a GPU, nvcc and compute-sanitizer: builds every program
                         and every twin, runs each under all four tools, writes sanitizer.json.
                         What is there already is kept, so a stopped run can be taken up again.
    compare.py table     no GPU needed: writes docs/cc-checks.md from sanitizer.json and from the
                         programs' .expect files, which the tests hold against `--check`.
    compare.py table --verify   writes nothing; fails if the table is not what would be written.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE.parents[2] / "docs" / "cc-checks.md"
TOOLS = {
    "memcheck": ["--leak-check", "full", "--padding", "32"],
    "racecheck": [],
    "initcheck": [],
    "synccheck": [],
}
HANGS = "did not end"
# Lines at the margin that are no finding.
PREAMBLE = (
    "COMPUTE-SANITIZER",
    "ERROR SUMMARY",
    "LEAK SUMMARY",
    "RACECHECK SUMMARY",
    "Error: process didn't terminate successfully",
    "Target application returned an error",
    "No kernel launches were detected",
)
# What a report says, the check that says it, and its name in the table.
KINDS = (
    ("race:", "race", "race"),
    ("uninitialised", "init", "uninitialised"),
    ("out of bounds", "memory", "out of bounds"),
    ("use after free", "memory", "use after free"),
    ("use after exit", "memory", "use after exit"),
    ("another thread's local memory", "memory", "another thread's local memory"),
    ("double free", "memory", "double free"),
    ("invalid free", "memory", "invalid free"),
    ("misaligned", "memory", "misaligned"),
    ("null pointer", "memory", "null pointer"),
    ("host pointer in a kernel", "memory", "host pointer in a kernel"),
    ("device pointer on the host", "memory", "device pointer on the host"),
    ("wrong direction", "memory", "wrong direction"),
    ("leak:", "memory", "leak"),
    ("deadlock", "sync", "deadlock"),
    ("incomplete barrier", "sync", "incomplete barrier"),
    ("grid barrier for blocks that have ended", "sync", "incomplete barrier"),
    ("different barriers", "sync", "different barriers"),
    ("different operations", "sync", "different operations"),
    ("mask", "sync", "wrong mask"),
)


def programs():
    """The names of the programs, each with a twin of the same name."""
    return sorted(path.stem for path in HERE.glob("*.cu"))


def source_of(key):
    return HERE / f"{key}.cu"


def fingerprint(key):
    return hashlib.sha256(source_of(key).read_bytes()).hexdigest()[:16]


def is_fresh(key, result):
    return source_of(key).exists() and result["source"] == fingerprint(key)


# ---- measure


RUNNING = set()


def run_bounded(command, seconds):
    """Exit status and output; the status is None when the time was over. Kills all it started."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        start_new_session=True)
    RUNNING.add(process)
    try:
        output, _ = process.communicate(timeout=seconds)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output
    finally:
        RUNNING.discard(process)


def stop(*_):
    """What was measured is already written; nothing that was started may stay behind."""
    for process in list(RUNNING):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    print("compare.py: stopped; the next run goes on from here", file=sys.stderr, flush=True)
    os._exit(1)


def findings(output):
    """The headlines of the tool's report, each once, without what differs from run to run."""
    found = []
    for line in output.splitlines():
        match = re.match(r"========= (\S.*)", line)
        if match is None or match[1].startswith(PREAMBLE):
            continue
        text = re.sub(r"0x[0-9a-fA-F]+(?=\b|\+)", "ADDRESS", match[1])
        text = re.sub(r"\[\d+ hazards?\]", "", text)
        text = re.sub(r"\+ADDRESS|\(ADDRESS\)", "", text).strip()
        if text not in found:
            found.append(text)
    return found


class Measurement:
    def __init__(self, options):
        self.options = options
        self.path = Path(options.out)
        self.lock = threading.Lock()
        self.record = {"programs": {}}
        if self.path.exists():
            self.record = json.loads(self.path.read_text())
        # The tool talks to the program by ports: each worker has its own.
        self.ports = queue.Queue()
        for i in range(options.jobs):
            self.ports.put(20000 + 20 * i)

    def save(self):
        text = json.dumps(self.record, indent=1, sort_keys=True) + "\n"
        fresh = self.path.with_suffix(".new")
        fresh.write_text(text)
        fresh.replace(self.path)

    def describe(self):
        def ask(pattern, *command):
            answer = subprocess.run(command, capture_output=True, text=True).stdout
            match = re.search(pattern, answer)
            return match[1] if match else "unknown"

        self.record["sanitizer"] = ask(r"Version (\S+)", self.options.sanitizer, "--version")
        self.record["nvcc"] = ask(r"V(\d+\.\d+\.\d+)", self.options.nvcc, "--version")
        self.record["device"] = ask(r"(\S.*)", "nvidia-smi", "--query-gpu=name", "--format=csv,noheader")

    def one(self, key, folder):
        program = str(Path(folder) / key.replace("/", "_"))
        status, output = run_bounded(
            [self.options.nvcc, "-std=c++17", "-arch=" + self.options.arch, "-lineinfo",
             str(source_of(key)), "-o", program], 120)
        if status != 0:
            return f"{key}: nvcc failed\n{output}"
        result = {"source": fingerprint(key)}
        port = self.ports.get()
        try:
            for tool, arguments in TOOLS.items():
                status, output = run_bounded(
                    [self.options.sanitizer, "--tool", tool, *arguments, "--port", str(port),
                     "--require-cuda-init", "no", program], self.options.timeout)
                if status is not None and "COMPUTE-SANITIZER" not in output:
                    return f"{key}: {tool} did not start\n{output}"
                result[tool] = findings(output) + ([HANGS] if status is None else [])
        finally:
            self.ports.put(port)
            Path(program).unlink(missing_ok=True)
        with self.lock:
            self.record["programs"][key] = result
            self.save()
        return None

    def all(self):
        self.describe()
        keys = programs() + ["right/" + name for name in programs()]
        self.record["programs"] = {
            key: value for key, value in self.record["programs"].items()
            if key in keys and is_fresh(key, value)}
        left = [key for key in keys if key not in self.record["programs"]]
        failures = []
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for done, failure in enumerate(pool.map(lambda key: self.one(key, folder), left), 1):
                if failure is not None:
                    failures.append(failure)
                    print(failure, file=sys.stderr)
                if done % 20 == 0:
                    print(f"{done} of {len(left)}", flush=True)
        self.save()
        print(f"{len(self.record['programs'])} of {len(keys)} programs are in {self.path}")
        return 1 if failures else 0


def measure(options):
    for program in (options.nvcc, options.sanitizer, "nvidia-smi"):
        if shutil.which(program) is None:
            print(f"compare.py: cannot find '{program}': a machine with a GPU and CUDA is needed",
                  file=sys.stderr)
            return 2
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return Measurement(options).all()


# ---- table


def what_is_wrong(name):
    return source_of(name).read_text().splitlines()[0].removeprefix("// ").rstrip(".")


def ours(name):
    """'memory: out of bounds' from the lines that the report must contain."""
    expected = (HERE / f"{name}.expect").read_text()
    for phrase, check, kind in KINDS:
        if phrase in expected:
            return kind if kind == check else f"{check}: {kind}"
    raise SystemExit(f"compare.py: {name}.expect names no kind of finding")


def theirs(result):
    """What each tool says, shortened; empty: none of them says anything."""
    parts = []
    for tool in TOOLS:
        for text in result[tool][:1]:
            if text != HANGS:
                parts.append(f"{tool}: {shorten(text)}")
    return parts


def shorten(text):
    text = re.sub(r"^(Error|Warning): ", "", text)
    text = re.sub(r"^Race reported between .*", "race", text)
    text = re.sub(r"^Leaked [\d,]+ bytes at ADDRESS", "leak", text)
    text = re.sub(r'^Program hit (\w+) \(error \d+\).* to (\w+)\.?$', r"\1 of \2", text)
    return text.rstrip(".").replace("|", "\\|").replace("__", "\\_\\_")


def recorded():
    """The record without what has changed since it was measured."""
    path = HERE / "sanitizer.json"
    record = json.loads(path.read_text()) if path.exists() else {"programs": {}}
    record["programs"] = {key: value for key, value in record["programs"].items() if is_fresh(key, value)}
    return record


def their_cell(result):
    says = theirs(result)
    if says:
        return "; ".join(says)
    hangs = any(HANGS in result[tool] for tool in TOOLS)
    return "nothing: it never ends" if hangs else "nothing"


def summary(names, record):
    facts = record["programs"]
    lines = [f"- `--check` finds {len(names)} of {len(names)}; {len(names)} of {len(names)} twins are silent."]
    measured = [name for name in names if name in facts]
    if not measured:
        return lines + ["- compute-sanitizer: not measured."]
    found = sum(bool(theirs(facts[name])) for name in measured)
    twins = [name for name in names if "right/" + name in facts]
    loud = [name for name in twins if theirs(facts["right/" + name])]
    return lines + [
        f"- compute-sanitizer {record['sanitizer']} (memcheck, racecheck, initcheck, synccheck; nvcc "
        f"{record['nvcc']}, {record['device']})",
        f"  finds {found} of {len(measured)}; {len(twins) - len(loud)} of {len(twins)} twins are silent"
        + (": not " + ", ".join(loud) if loud else "") + ".",
        f"- Found by `--check` alone: {len(measured) - found}.",
    ]


def render():
    record = recorded()
    facts = record["programs"]
    names = programs()
    rows = []
    for name in names:
        if not source_of("right/" + name).exists() or not (HERE / f"{name}.expect").exists():
            raise SystemExit(f"compare.py: {name}.cu has no twin right/{name}.cu or no {name}.expect")
        cell = their_cell(facts[name]) if name in facts else "not measured"
        rows.append(f"| {name} | {what_is_wrong(name)} | {ours(name)} | {cell} |")
    return "\n".join([
        "# What `cc --check` finds, and what compute-sanitizer finds",
        "",
        "Small wrong programs, each with a correct twin, are in `simt/tests/bugs`. The tests run all of them",
        "with `--check`: it must report the line, and keep silent about the twin. Written by",
        "`simt/tests/bugs/compare.py table`.",
        "",
        *summary(names, record),
        "",
        "| program | what is wrong | --check | compute-sanitizer |",
        "|---|---|---|---|",
        *rows,
    ]) + "\n"


def table(options):
    text = render()
    if not options.verify:
        TABLE.write_text(text)
        return 0
    if TABLE.exists() and TABLE.read_text() == text:
        return 0
    print(f"{TABLE} is not what `compare.py table` writes: run it", file=sys.stderr)
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("--out", default=str(HERE / "sanitizer.json"))
    measuring.add_argument("--nvcc", default="nvcc")
    measuring.add_argument("--sanitizer", default="compute-sanitizer")
    measuring.add_argument("--arch", default="sm_90")
    measuring.add_argument("--jobs", type=int, default=os.cpu_count())
    measuring.add_argument("--timeout", type=float, default=20)
    writing = commands.add_parser("table")
    writing.add_argument("--verify", action="store_true")
    options = parser.parse_args()
    return measure(options) if options.command == "measure" else table(options)


if __name__ == "__main__":
    sys.exit(main())
