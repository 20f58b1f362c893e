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
import json
import os
import re
import sys

from measure import HANGS, HERE, TOOLS, is_fresh, measure, programs, source_of

TABLE = HERE.parents[2] / "docs" / "cc-checks.md"

# What a report says, the check that says it, and its name in the table.
KINDS = (
    ("refused launch", "api", "refused launch"),
    ("failed call", "api", "failed call"),
    ("race:", "race", "race"),
    ("missing proxy fence", "race", "missing proxy fence"),
    ("missed phase", "sync", "missed phase"),
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
    text = re.sub(r"^Program hit (\w+) \(error \d+\).* to (\w+)\.?$", r"\1 of \2", text)
    return text.rstrip(".").replace("|", "\\|").replace("__", "\\_\\_")


def recorded():
    """The record without what has changed since it was measured."""
    path = HERE / "sanitizer.json"
    record = json.loads(path.read_text()) if path.exists() else {"programs": {}}
    facts = record["programs"]
    record["programs"] = {key: facts[key] for key in facts if is_fresh(key, facts[key])}
    return record


def their_cell(result):
    says = theirs(result)
    if says:
        return "; ".join(says)
    hangs = any(HANGS in result[tool] for tool in TOOLS)
    return "nothing: it never ends" if hangs else "nothing"


def summary(names, record):
    facts = record["programs"]
    every = f"{len(names)} of {len(names)}"
    lines = [f"- `--check` finds {every}; {every} twins are silent."]
    measured = [name for name in names if name in facts]
    if not measured:
        return lines + ["- compute-sanitizer: not measured."]
    found = sum(bool(theirs(facts[name])) for name in measured)
    twins = [name for name in names if "right/" + name in facts]
    waiting = len(names) - len(measured)
    loud = [name for name in twins if theirs(facts["right/" + name])]
    return lines + [
        (
            f"- compute-sanitizer {record['sanitizer']} (memcheck, racecheck, initcheck, synccheck;"
            f" nvcc {record['nvcc']}, {record['device']})"
        ),
        (
            f"  finds {found} of {len(measured)}; {len(twins) - len(loud)} of {len(twins)} twins are"
            " silent" + (": not " + ", ".join(loud) if loud else "") + "."
        ),
        f"- Found by `--check` alone: {len(measured) - found}.",
        *([f"- Not measured on a GPU yet: {waiting}."] if waiting else []),
    ]


def render():
    record = recorded()
    facts = record["programs"]
    names = programs()
    rows = []
    for name in names:
        if not source_of("right/" + name).exists() or not (HERE / f"{name}.expect").exists():
            raise SystemExit(f"compare.py: {name}.cu has no right/{name}.cu or no {name}.expect")
        cell = their_cell(facts[name]) if name in facts else "not measured"
        rows.append(f"| {name} | {what_is_wrong(name)} | {ours(name)} | {cell} |")
    return (
        "\n".join(
            [
                "# What `cc --check` finds, and what compute-sanitizer finds",
                "",
                "Small wrong programs, each with a correct twin, are in `simt/tests/bugs`. The tests run",
                "all of them with `--check`: it must report the line, and keep silent about the twin.",
                "Written by `simt/tests/bugs/compare.py table`.",
                "",
                *summary(names, record),
                "",
                "| program | what is wrong | --check | compute-sanitizer |",
                "|---|---|---|---|",
                *rows,
            ]
        )
        + "\n"
    )


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
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
