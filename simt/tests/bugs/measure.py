"""What compute-sanitizer says about the programs of this folder; see compare.py."""

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


def programs():
    """The names of the programs, each with a twin of the same name."""
    return sorted(path.stem for path in HERE.glob("*.cu"))


def source_of(key):
    return HERE / f"{key}.cu"


def fingerprint(key):
    return hashlib.sha256(source_of(key).read_bytes()).hexdigest()[:16]


def is_fresh(key, result):
    return source_of(key).exists() and result["source"] == fingerprint(key)


RUNNING = set()


def run_bounded(command, seconds):
    """Exit status and output; the status is None when the time was over. Kills all it started."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
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
            answer = subprocess.run(command, check=False, capture_output=True, text=True).stdout
            match = re.search(pattern, answer)
            return match[1] if match else "unknown"

        self.record["sanitizer"] = ask(r"Version (\S+)", self.options.sanitizer, "--version")
        self.record["nvcc"] = ask(r"V(\d+\.\d+\.\d+)", self.options.nvcc, "--version")
        self.record["device"] = ask(
            r"(\S.*)", "nvidia-smi", "--query-gpu=name", "--format=csv,noheader"
        )

    def one(self, key, folder):
        program = str(Path(folder) / key.replace("/", "_"))
        status, output = run_bounded(
            [
                self.options.nvcc,
                "-std=c++17",
                "-arch=" + self.options.arch,
                "-lineinfo",
                str(source_of(key)),
                "-o",
                program,
            ],
            120,
        )
        if status != 0:
            return f"{key}: nvcc failed\n{output}"
        result = {"source": fingerprint(key)}
        port = self.ports.get()
        try:
            for tool, arguments in TOOLS.items():
                status, output = run_bounded(
                    [
                        self.options.sanitizer,
                        "--tool",
                        tool,
                        *arguments,
                        "--port",
                        str(port),
                        "--require-cuda-init",
                        "no",
                        program,
                    ],
                    self.options.timeout,
                )
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
            key: value
            for key, value in self.record["programs"].items()
            if key in keys and is_fresh(key, value)
        }
        left = [key for key in keys if key not in self.record["programs"]]
        failures = []
        with (
            tempfile.TemporaryDirectory() as folder,
            concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool,
        ):
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
            print(
                f"compare.py: cannot find '{program}': a machine with a GPU and CUDA is needed",
                file=sys.stderr,
            )
            return 2
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return Measurement(options).all()
