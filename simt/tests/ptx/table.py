#!/usr/bin/env python3
"""Which instructions of the PTX manual `warpath cc` has: instructions.txt, held against the compiler.

table.py check CC    compiles every form that is listed: those that are marked must be refused by
                     their text, all others must become C++ that compiles.
table.py table       writes docs/ptx.md from instructions.txt.
table.py table --verify   writes nothing; fails if the page is not what would be written.
table.py source      prints the program with all forms, for `nvcc -arch=sm_90a -ptx` and ptxas.
"""

import argparse
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[2] / "docs" / "ptx.md"

REGISTERS = {
    "h": ("unsigned short", "u16 s16 b16 f16 bf16"),
    "r": ("unsigned", "u32 s32 b32 f16x2 bf16x2 u16x2 s16x2"),
    "l": ("unsigned long long", "u64 s64 b64"),
    "f": ("float", "f32"),
    "d": ("double", "f64"),
    "q": ("unsigned __int128", "b128"),
}
WIDER = {"h": "r", "r": "l"}


def register(type_name, may_be_wider):
    if may_be_wider and type_name in ("u8", "s8", "b8", "u16", "s16", "b16"):
        return "r"
    for letter, (_, types) in REGISTERS.items():
        if type_name in types.split():
            return letter
    raise SystemExit(f"table.py: no register for {type_name}")


def constraint(letter, opcode):
    types = [word for word in opcode.split(".") if re.fullmatch(r"b?[usbf]\d+(x2)?", word)]
    if letter in "TWL":
        plain = register(types[-1], letter == "L")
        return WIDER[plain] if letter == "W" else plain
    if letter in "UV":
        return register(types[-2], letter == "V")
    return letter


def expand(text):
    parts = re.split(r"<([^<>]*\|[^<>]*)>", text)
    choices = [part.split("|") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


class Line:
    def __init__(self, section, text):
        self.section = section
        self.name, _, rest = text.partition(": ")
        self.reason = ""
        if rest.startswith("- "):
            self.reason, _, rest = rest[2:].partition(": ")
        self.shown = rest
        self.forms = expand(rest)


def lines():
    section, all_lines = "", []
    for text in (HERE / "instructions.txt").read_text().splitlines():
        if text.startswith("== "):
            section = text[3:]
        elif text and not text.startswith("#"):
            all_lines.append(Line(section, text))
    return all_lines


def kernel(form, number):
    """One kernel with the form in an asm; on one line, so that messages can be told apart."""
    opcode = next(word for word in form.split() if not word.startswith("@"))
    outputs, inputs = [], []

    def name(match):
        kind, letter = match.groups()
        letter = constraint(letter, opcode)
        (inputs if kind == "$" else outputs).append(kind + letter)
        return f"\0{kind}{len(inputs if kind == '$' else outputs) - 1}\0"

    text = re.sub(r"([=+$])([rlhfdqTUWLV])\b", name, form)
    for address in "sgmc":
        if re.search(rf"\[{address}\b", text):
            inputs.append("$r" if address in "sc" else "$l")
            text = re.sub(rf"\[{address}\b", f"[\0${len(inputs) - 1}\0", text)
    first_input = len(outputs)
    text = re.sub(
        r"\0([=+$])(\d+)\0",
        lambda m: "%" + str(int(m[2]) + (first_input if m[1] == "$" else 0)),
        text,
    )
    if re.search(r"(?<![\w.%:])!?[pq]\b", text):
        inputs += ["$r", "$r"]
        p, q = first_input + len(inputs) - 2, first_input + len(inputs) - 1
        before = f".reg .pred p, q; setp.ne.u32 p, %{p}, 0; setp.ne.u32 q, %{q}, 0;"
        text = f"{{ {before} {text}; }}"
    else:
        text = f"{{ {text}; }}" if text.startswith(".reg") else text + ";"
    declared = ", ".join(f"{REGISTERS[o[1]][0]}* o{i}" for i, o in enumerate(outputs))
    given = ", ".join(f"{REGISTERS[i[1]][0]} i{k}" for k, i in enumerate(inputs))
    out = ", ".join(f'"{o}"(*o{i})' for i, o in enumerate(outputs))
    into = ", ".join(f'"{i[1]}"(i{k})' for k, i in enumerate(inputs))
    parameters = ", ".join(part for part in (declared, given) if part)
    return (
        f"__global__ void k{number}({parameters}) "
        f'{{ asm volatile("{text}" : {out} : {into} : "memory"); }}'
    )


def run_cc(cc, folder, forms, *options):
    path = pathlib.Path(folder) / "forms.cu"
    source = "\n".join(kernel(form, i) for i, form in enumerate(forms)) + "\nint main() {}\n"
    path.write_text(source)
    done = subprocess.run(
        [cc, *options, str(path)], capture_output=True, text=True, cwd=folder, check=False
    )
    refused = re.findall(r"forms\.cu:(\d+):\d+: error: inline PTX", done.stderr)
    return done.returncode, {int(number) for number in refused}, done.stderr


def check(options):
    listed = [(form, line) for line in lines() for form in line.forms]
    problems = 0
    with tempfile.TemporaryDirectory() as folder:
        _, refused, _ = run_cc(options.cc, folder, [form for form, _ in listed], "--translate")
        for number, (form, line) in enumerate(listed, 1):
            if (number in refused) != bool(line.reason):
                problems += 1
                print(f"{'refused' if number in refused else 'accepted'}: {form}")
        # C++ of the translator's that does not compile would be no instruction. Two forms of each
        # line stand for the others, which differ in a type or a flag.
        some = [
            line.forms[i] for line in lines() if not line.reason for i in {0, len(line.forms) - 1}
        ]
        status, _, messages = run_cc(options.cc, folder, some, "-O0", "-c", "-o", "forms.o")
        if status != 0:
            problems += 1
            print(messages[:3000])
    print(f"{len(listed)} forms")
    return 1 if problems else 0


def render():
    text = [
        "# PTX in `warpath cc`",
        "",
        "The instructions of the PTX manual (version 9.0) that inline `asm` can hold, by its sections, with the forms that were",
        "compiled. `<a|b>` stands for each of the alternatives. Written by `simt/tests/ptx/table.py table` from",
        "[instructions.txt](../simt/tests/ptx/instructions.txt); a test compiles every form. Those that compute on registers or a",
        "thread's own memory give the same bits as an H200 over 512 sets of edge values each",
        "([results.txt](../simt/tests/ptx/results.txt)), except the approximate functions, which are accurate here. The others are",
        "tested by the `ptx_` programs in [simt/tests/programs](../simt/tests/programs). An instruction that is not there is an",
        "error that names it, the file and the line.",
    ]
    all_lines = lines()
    have = sum(len(line.forms) for line in all_lines if not line.reason)
    text += ["", f"{have} forms of {len({line.name for line in all_lines})} instructions."]
    section = ""
    for line in all_lines:
        if line.section != section:
            section = line.section
            text += ["", f"## {section}", "", "| instruction | forms | there |", "|---|---|---|"]
        shown = line.shown.replace("|", "\\|")
        shown = re.sub(r"[=+$]([rlhfdqTUWLV])\b", lambda m: "r" if m[1] in "TUWLV" else m[1], shown)
        text.append(
            f"| {line.name} | `{shown}` | {'no: ' + line.reason if line.reason else 'yes'} |"
        )
    return "\n".join(text) + "\n"


def table(options):
    wanted = render()
    if not options.verify:
        PAGE.write_text(wanted)
        return 0
    if PAGE.exists() and PAGE.read_text() == wanted:
        return 0
    print("docs/ptx.md is not what instructions.txt says: run simt/tests/ptx/table.py table")
    return 1


def source(_):
    forms = [f for line in lines() if not line.reason for f in line.forms]
    print("\n".join(kernel(form, i) for i, form in enumerate(forms)))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    checks = commands.add_parser("check")
    checks.add_argument("cc")
    checks.set_defaults(run=check)
    tables = commands.add_parser("table")
    tables.add_argument("--verify", action="store_true")
    tables.set_defaults(run=table)
    commands.add_parser("source").set_defaults(run=source)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
