#!/usr/bin/env python3
"""Times the models beside PyTorch and stores the result for docs/models.md: record.py [ROW]…

Needs a GPU, a Python with torch, and `./warpath train` and `./warpath generate` built for that GPU. Warpath and PyTorch take
turns; each number is the median of its turns. Writes a file named for the GPU beside this one. With --toy all of it runs on
tiny models, on a CPU too, to see that it works: no number of it means anything, and `generate` has none on a CPU.
"""

import argparse
import datetime
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
COLUMNS = ["", "unit", "Warpath", "beside it", "its number", "times better"]
Row = list[str | float]


@dataclass
class Sizes:
    gpt2: tuple[str, int, int]  # batch and tokens of a sequence
    llama: tuple[str, int, int]
    large: str  # the shape that reads and writes
    prompt: int
    written: int
    steps: int
    turns: int
    peer: str


REAL = Sizes(
    ("gpt2-124m", 64, 1024), ("llama-1b", 16, 2048), "llama-8b", 4096, 256, 12, 2, "torch.compile"
)
TOY = Sizes(("toy", 2, 24), ("toy-llama", 2, 24), "toy-llama-bytes", 32, 8, 4, 1, "PyTorch")
torch_versions = set()  # one, once it has answered
DROPPED = 3  # steps of a training run, which load code
PROGRAM = os.environ.get("WARPATH_PROGRAM", str(ROOT / "build/bin/warpath"))


def output(command: list) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"record.py: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def warpath(*words) -> list[dict]:
    return [
        json.loads(line) for line in output([PROGRAM, words[0], "--json", *words[1:]]).splitlines()
    ]


def pytorch(*words) -> dict:
    """In a process of its own, which gives the GPU's memory back."""
    words = [sys.executable, HERE / "torch_models.py", *words]
    result = json.loads(output(words).splitlines()[-1])
    torch_versions.add(result["torch"])
    return result


def row(sizes: Sizes, what: str, unit: str, ours: Callable, beside: str, theirs: Callable) -> Row:
    found = [(ours(), theirs()) for _ in range(sizes.turns)]
    mine, other = (None if None in x else statistics.median(x) for x in zip(*found, strict=True))
    if mine is None or other is None:  # on a CPU
        return [what, unit, mine or "", beside, other or "", ""]
    return [what, unit, mine, beside, other, other / mine if unit == "ms" else mine / other]


def count_of(model: str) -> float:
    """Parameters, as `train` prints them: with four digits."""
    found = re.search(
        r": (\d+\.\d) (M|thousand) parameters",
        output([PROGRAM, "train", "--model", model, "--memory"]),
    )
    return float(found[1]) * {"M": 1e6, "thousand": 1e3}[found[2]]


def training(sizes: Sizes, which: tuple[str, int, int]) -> Row:
    model, batch, sequence = which
    size = ("--batch", batch, "--sequence", sequence, "--steps", sizes.steps)

    def ours() -> float:
        words = ("--model", model, *size, "--dtype", "bf16", "--evaluate-every", 0)
        lines = warpath("train", *words)
        return statistics.median(line["tokens_per_second"] for line in lines[DROPPED:])

    def theirs() -> float:
        found = pytorch("train", model, batch, sequence, sizes.steps - DROPPED)
        if abs(found["parameters"] / count_of(model) - 1) > 0.005:
            sys.exit(f"record.py: {model} has {found['parameters']} parameters in PyTorch")
        return found["tokens_per_second"]

    what = f"training of {model}, {batch} x {sequence} tokens per step"
    return row(sizes, what, "tokens/s", ours, sizes.peer, theirs)


def writing(folder: Path, prompt: int, new: int, *words) -> list[dict]:
    """Three texts, one after the other: the first loads code."""
    file = folder / "prompts.jsonl"
    text = ("the quick brown fox jumps over the lazy dog. " * prompt)[:prompt]  # a byte is a token
    file.write_text(f"{json.dumps({'prompt': text})}\n" * 3)
    words = ("--model", folder, "--prompts", file, "--batch", 1, "--max-new", new, *words)
    lines = warpath("generate", *words, "--temperature", 0, "--ignore-eos", "--chunk", prompt)
    if [(len(x["prompt_ids"]), len(x["ids"])) for x in lines] != [(prompt, new)] * 3:
        sys.exit("record.py: generate has read or written another number of tokens")
    return lines[1:]


def median(lines: list[dict], key: str, factor: float = 1) -> float | None:
    """None where `generate` measures nothing: on a CPU."""
    found = [x[key] for x in lines if key in x]
    return factor * statistics.median(found) if found else None


def prefill(sizes: Sizes, folder: Path) -> Row:
    def ours() -> float | None:
        return median(writing(folder, sizes.prompt, 1), "seconds_to_first_token", 1e3)

    def theirs() -> float:
        return pytorch("read", sizes.large, sizes.prompt)["ms"]

    what = f"{sizes.large} reads {sizes.prompt} tokens"
    return row(sizes, what, "ms", ours, sizes.peer, theirs)


def decode(sizes: Sizes, folder: Path, *words) -> float | None:
    return median(writing(folder, 16, sizes.written, *words), "tokens_per_second")


def bf16(sizes: Sizes, folder: Path) -> Row:
    # The table of the tokens is not read, but for one row; the head is.
    file = (folder / "model.safetensors").stat().st_size
    config = json.loads((folder / "config.json").read_text())
    table = 0 if config["tie_word_embeddings"] else 2 * config["vocab_size"] * config["hidden_size"]

    def limit() -> float:
        return pytorch("copy")["bytes_per_second"] / (file - table)

    what, beside = f"{sizes.large} writes one text", "copy rate over its weights"
    return row(sizes, what, "tokens/s", lambda: decode(sizes, folder), beside, limit)


def nf4(sizes: Sizes, folder: Path) -> Row:
    def ours() -> float | None:
        return decode(sizes, folder, "--quantise", "nf4")

    what = f"{sizes.large} writes one text, NF4"
    return row(sizes, what, "tokens/s", ours, "the same in bf16", lambda: decode(sizes, folder))


ROWS = {
    "gpt2": lambda sizes, _: training(sizes, sizes.gpt2),
    "llama": lambda sizes, _: training(sizes, sizes.llama),
    "prefill": prefill,
    "bf16": bf16,
    "nf4": nf4,
}


def device() -> str:
    words = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        return output(words).splitlines()[0]
    except OSError:
        sys.exit("record.py: no nvidia-smi, so no GPU to measure; --toy only tries the program")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all")
    parser.add_argument("--toy", action="store_true", help="tiny models, to see that it runs")
    parser.add_argument("--folder", type=Path, help="for 16 GB of random weights, which stay there")
    parser.add_argument("--output", type=Path, help="the file that is written")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no row {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    if options.rows and not options.output:
        parser.error("some rows only: say --output FILE, so that no file loses its others")
    sizes, on = (TOY, "tiny models") if options.toy else (REAL, device())
    name = on.split(",")[0].removeprefix("NVIDIA ").lower().replace(" ", "-")
    target = options.output or HERE / f"{name}.json"
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary) / "model"
        wanted = [name for name in ROWS if name in options.rows or not options.rows]
        if {"prefill", "bf16", "nf4"} & set(wanted) and not (folder / "config.json").exists():
            pytorch("weights", sizes.large, folder)
        for name in wanted:
            rows.append(ROWS[name](sizes, folder))
            print(*rows[-1], sep=" | ", flush=True)
            save(target, rows, on, sizes)


def save(target: Path, rows: list[Row], on: str, sizes: Sizes):
    """After each row: whatever comes next, what was measured stays."""
    commit = output(["git", "-C", ROOT, "describe", "--always", "--dirty=+dirty", "--abbrev=12"])
    torch = " ".join(torch_versions)
    note = (
        f"{on}, {datetime.datetime.now(datetime.UTC):%Y-%m-%d}, commit {commit.strip()}, PyTorch {torch}; "
        f"both sides in turns, medians of {sizes.turns}; PyTorch with fused AdamW and flash attention."
    )
    partial = target.with_suffix(".partial")
    data = {"columns": COLUMNS, "rows": rows, "note": note}
    partial.write_text(json.dumps(data, indent=1) + "\n")
    partial.replace(target)


if __name__ == "__main__":
    main()
