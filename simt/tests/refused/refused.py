#!/usr/bin/env python3
"""Small programs that nvcc refuses or warns about, and a twin of each that it accepts, in right/.

refused.py test CC          warpath-cc must say what the comment on the wrong line says, there and
                            nowhere else, and must be silent about the twin. No code is generated.
refused.py test CC --check  the same with --check, and g++ must accept the twins.
refused.py nvcc             where nvcc is: it must refuse, warn and accept as the programs say, at
                            the same lines.
refused.py nvcc --save      and writes nvcc.json, what it says.
refused.py table            writes docs/cc-refused.md from the programs and nvcc.json.
refused.py table --verify   writes nothing; fails if the page is not what would be written.

In a program `// error: TEXT` or `// warning: TEXT` stands on the wrong line or above it, and `// options: ...` names
options that both compilers get.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RECORD = HERE / "nvcc.json"
TABLE = HERE.parents[2] / "docs" / "cc-refused.md"
EXPECTED = re.compile(r"// (error|warning): (.*)")


def names():
    return sorted(path.stem for path in HERE.glob("*.cu"))


def source(name):
    return HERE / f"{name}.cu"


def options(path):
    found = re.search(r"^// options: (.*)$", path.read_text(), re.MULTILINE)
    return found[1].split() if found else []


def expected(path):
    """{line: (kind, text)}"""
    found = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := EXPECTED.search(line):
            above = line.lstrip().startswith("//")
            found[number + above] = match.groups()
    return found


def kinds(name):
    return {kind for kind, _ in expected(source(name)).values()}


def first_line(path):
    return path.read_text().splitlines()[0].removeprefix("// ").rstrip(".")


def run(command):
    done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout + done.stderr


def each(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(function, items))


def said(path, output, pattern):
    """{line: [(kind, text)]} of the messages about a program."""
    lines = {}
    for line, kind, text in re.findall(pattern.format(re.escape(path.name)), output):
        lines.setdefault(int(line), []).append((kind, text))
    return lines


def problem(path, status, messages, wanted, only_wanted=True):
    """What is not as it should be, empty if all is."""
    fails = any(kind == "error" for kind, _ in wanted.values())
    if (status != 0) != fails:
        return f"exit status {status}"
    for line, (kind, text) in wanted.items():
        if not any(k == kind and text in t for k, t in messages.get(line, [])):
            return f"{path.name}:{line}: no {kind} with '{text}'"
    for line, found in messages.items() if only_wanted else ():
        if line not in wanted or any(kind != wanted[line][0] for kind, _ in found):
            return f"{path.name}:{line}: {found[0][0]}: {found[0][1]}"
    return ""


def test(arguments):
    def one(path):
        wanted = expected(path)
        command = [arguments.cc, path, *options(path)]
        with tempfile.TemporaryDirectory() as folder:
            if arguments.check:
                command += ["--check", "-c", "-Xcompiler", "-fsyntax-only"]
            else:
                command += ["--translate"]
            status, output = run([*command, "-o", f"{folder}/result"])
        messages = said(path, output, r"{}:(\d+):\d+: (error|warning): (.*)")
        wrong = problem(path, status, messages, wanted)
        return f"{path.relative_to(HERE)}: {wrong}\n{output}" if wrong else ""

    if len(names()) < 40:
        return f"refused.py: only {len(names())} programs"
    for name in names():
        if not expected(source(name)) or expected(HERE / "right" / f"{name}.cu"):
            return f"refused.py: {name}.cu must say what is wrong, and its twin nothing"
    programs = [source(name) for name in names()]
    twins = [HERE / "right" / path.name for path in programs]
    return "\n".join(filter(None, each(one, programs + twins)))


def nvcc(arguments):
    def one(path):
        with tempfile.TemporaryDirectory() as folder:
            made = ["-arch=compute_90", "-code=compute_90", "-c", "-o", f"{folder}/result.o"]
            status, output = run(["nvcc", *made, *options(path), path])
        pattern = r"{}\((\d+)\): (error|warning)(?: #2\d+-D)?: (.*)"
        # Unused variables and the like are not meant; of an error the warning before it is a part.
        output = re.sub(r".*: warning #(?!20)\d+-D.*", "", output)
        messages = said(path, output, pattern)
        for line, found in messages.items():
            errors = [message for message in found if message[0] == "error"]
            messages[line] = errors or found
        wanted = {line: (kind, "") for line, (kind, _) in expected(path).items()}
        # What follows from an error it says as well, at other lines.
        fails = any(kind == "error" for kind, _ in wanted.values())
        return path, problem(path, status, messages, wanted, not fails), messages

    programs = [source(name) for name in names()]
    results = each(one, programs + [HERE / "right" / path.name for path in programs])
    wrong = [f"{path.relative_to(HERE)}: {text}" for path, text, _ in results if text]
    if wrong or not arguments.save:
        return "\n".join(wrong)
    version = re.search(r"release ([\d.]+)", run(["nvcc", "--version"])[1])[1]
    record = {"nvcc": version, "programs": {}}
    for path, _, messages in results:
        if path.parent == HERE:
            line = min(expected(path))
            record["programs"][path.stem] = {
                "digest": digest(path.stem),
                "says": plain(messages[line][0][1]).replace(f"{HERE}/", ""),
            }
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    return ""


def digest(name):
    """Of the program and its twin, without comments and white space: a formatter may change these."""
    text = source(name).read_text() + (HERE / "right" / f"{name}.cu").read_text()
    code = re.sub(r"\s+|\\\n", "", re.sub(r"//.*", "", text))
    given = " ".join(options(source(name)) + options(HERE / "right" / f"{name}.cu"))
    return hashlib.sha256(f"{given}\n{code}".encode()).hexdigest()[:16]


def plain(text):
    """Without mangled names and signatures."""
    text = re.sub(r'\("(?:_ZN\w*?\d+)?(\w+?)(?:E1\?[\d?]*)?"\)', r"(\1)", text)
    return re.sub(r"\s+", " ", text).strip()


def render():
    record = json.loads(RECORD.read_text())
    rows = []
    for name in names():
        fact = record["programs"].get(name)
        if fact is None or fact["digest"] != digest(name):
            raise SystemExit(f"refused.py: {name}.cu has changed: run refused.py nvcc --save")
        kind, text = next(iter(expected(source(name)).values()))
        cells = [
            f"[{name}](../simt/tests/refused/{name}.cu)",
            first_line(source(name)),
            fact["says"].replace("](", "] ("),  # "[](int)" is no link
            f"{kind}: {text}",
        ]
        rows.append(
            "| "
            + " | ".join(cell.replace("|", "\\|").replace("__", "\\_\\_") for cell in cells)
            + " |"
        )
    errors = sum(kinds(name) == {"error"} for name in names())
    return "\n".join(
        [
            "# What `cc` refuses because nvcc does",
            "",
            f"nvcc {record['nvcc']} refuses {errors} of the {len(names())} programs in `simt/tests/refused` and warns about the others.",
            "`cc` does the same, at the same lines. It accepts the correct twin of each, in `right/`, as nvcc does.",
            "[cc.md](cc.md#what-nvcc-refuses) names what it does not see.",
            "Written by `simt/tests/refused/refused.py table`.",
            "",
            "| program | what is wrong | nvcc | cc |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def table(arguments):
    text = render()
    if not arguments.verify:
        TABLE.write_text(text)
    elif TABLE.read_text() != text:
        return f"{TABLE.name} is not what refused.py table writes"
    return ""


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("test")
    command.add_argument("cc")
    command.add_argument("--check", action="store_true")
    command.set_defaults(run=test)
    command = commands.add_parser("nvcc")
    command.add_argument("--save", action="store_true")
    command.set_defaults(run=nvcc)
    command = commands.add_parser("table")
    command.add_argument("--verify", action="store_true")
    command.set_defaults(run=table)
    arguments = parser.parse_args()
    sys.exit(arguments.run(arguments) or 0)


if __name__ == "__main__":
    main()
