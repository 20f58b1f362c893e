#!/usr/bin/env python3
"""What the forms of instructions.txt compute, held against an H200.

results.py source PART PARTS   prints a program that runs every PARTS-th form over edge values (results.h).
results.py check CC            runs all of them by `warpath cc` and compares with results.txt; with
                               --some, two forms of each line.
results.py take FILE...        makes what the programs printed on a GPU the expected results.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from table import REGISTERS, constraint, lines

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "results.txt"
SECTIONS = (
    "Integer arithmetic",
    "Extended-precision integer arithmetic",
    "Floating point",
    "Half and bfloat16",
    "Comparison and selection",
    "Logic and shift",
    "Control flow",
    "Video",
)
# Of the sections whose other instructions have a program of their own.
NAMES = ("mov", "shfl.sync", "prmt", "ld", "ldu", "st", "cvt", "cvt.pack", "atom", "red")
WARP = ("shfl.sync", "vote.sync", "match.sync", "redux.sync", "activemask")
# Names of the machine, policies and memory that need more than a thread's own bytes.
OTHER = re.compile(r"%%|cache_hint|\[[mc]\b|\.local\b")
# Where ptxas 13.0 computes what no rule describes (shifts saturate for some operands only, an upper half becomes zero):
# here it is what the manual says.
ODD = re.compile(r"vshl\S*\.sat\b|vadd\S*\.sat =r\.h1")
# The hardware's own approximations: the same to within a bound that conformance/ulps.cu holds.
APPROXIMATE = re.compile(r"\b(approx|full)\b")


def is_run(line, form):
    if line.reason or form.startswith("@") or ODD.match(form):
        return False
    if OTHER.search(form) or APPROXIMATE.search(form):
        return False
    return line.section in SECTIONS or line.name in NAMES + WARP


def tested():
    """(line, its forms that are run)."""
    for line in lines():
        forms = [form for form in line.forms if is_run(line, form)]
        if forms:
            yield line, forms


def carry(line, text, spare):
    """The carry is set before the instruction and read after it, as PTX defines it for sums and differences."""
    source, target = spare
    if line.section != "Extended-precision integer arithmetic":
        return text
    if line.name.startswith("sub"):
        before, after = f"sub.cc.u32 t, 0, {source}", f"subc.u32 {target}, 0, 0"
    else:
        before, after = f"add.cc.u32 t, {source}, 0xffffffff", f"addc.u32 {target}, 0, 0"
    return f".reg .u32 t; {before}; {text}; {after}"


class Kernel:
    def __init__(self, line, form, number):
        self.form, self.number = form, number
        self.outputs, self.inputs, self.setup = [], [], []
        if line.name in WARP:
            form = re.sub(r", \$r$", ", 0xffffffff", form)
        opcode = next(word for word in form.split() if not word.startswith("@"))
        if form.startswith(".reg"):
            opcode = form.split("; ")[1].split()[0]
        text = re.sub(
            r"([=$])([rlhfdTUWLV])\b", lambda m: self.operand(m[1], constraint(m[2], opcode)), form
        )
        if line.name == "fns":
            self.setup.append("i1 &= 31;")
        text = re.sub(r"\[([sg])\b", lambda m: "[" + self.address(m[1]), text)
        if line.section.startswith("Extended"):
            text = carry(line, text, (self.operand("$", "r"), self.operand("=", "r")))
            self.setup.append(f"i{len(self.inputs) - 1} &= 1;")
        if re.search(r"(?<![\w.%:])!?[pq]\b", form):
            text = self.predicates(text)
        self.text = "{ " + self.number_operands(text) + "; }"

    def operand(self, kind, letter):
        found = self.inputs if kind == "$" else self.outputs
        found.append(letter)
        return f"\0{kind}{len(found) - 1}\0"

    def address(self, space):
        name = self.operand("$", "r" if space == "s" else "l")
        k = len(self.inputs) - 1
        which = "slots" if space == "s" else "memory"
        address = f"{which} + 8 * {'threadIdx.x' if space == 's' else 'run_index()'}"
        self.slot = address
        self.setup.append(f"for (int w = 0; w < 8; ++w) pick(({address})[w], 20 + w);")
        value = f"__cvta_generic_to_shared({address})" if space == "s" else f"(Bits)({address})"
        self.setup.append(f"i{k} = {value};")
        return name

    slot = None

    def predicates(self, text):
        p, q = self.operand("$", "r"), self.operand("$", "r")
        first = len(self.inputs) - 2
        self.setup.append(f"i{first} &= 1, i{first + 1} &= 2;")
        before = f".reg .pred p, q; setp.ne.u32 p, {p}, 0; setp.ne.u32 q, {q}, 0"
        p, q = self.operand("=", "r"), self.operand("=", "r")
        return f"{before}; {text}; selp.u32 {p}, 1, 0, p; selp.u32 {q}, 1, 0, q"

    def number_operands(self, text):
        return re.sub(
            r"\0([=$])(\d+)\0",
            lambda m: "%" + str(int(m[2]) + (len(self.outputs) if m[1] == "$" else 0)),
            text,
        )

    def words(self):
        return len(self.outputs) + (2 if self.slot else 0)

    def source(self):
        declared = [f"{REGISTERS[x][0]} o{k} = 0;" for k, x in enumerate(self.outputs)]
        declared += [f"{REGISTERS[x][0]} i{k}; pick(i{k}, {k});" for k, x in enumerate(self.inputs)]
        out = ", ".join(f'"={x}"(o{k})' for k, x in enumerate(self.outputs))
        into = ", ".join(f'"{x}"(i{k})' for k, x in enumerate(self.inputs))
        stored = [f"put(out, {k}, o{k});" for k in range(len(self.outputs))]
        if self.slot:
            n = len(self.outputs)
            stored += [f"put(out, {n + k}, ({self.slot})[{k}]);" for k in range(2)]
        if self.slot and self.slot.startswith("slots"):
            declared.insert(0, "__shared__ Bits slots[8 * threads];")
        body = " ".join(
            [
                *declared,
                *self.setup,
                f'asm volatile("{self.text}" : {out} : {into} : "memory");',
                *stored,
            ]
        )
        return f"__global__ void k{self.number}(Bits* out) {{ {body} }}"


def program(forms):
    kernels = [Kernel(line, form, i) for i, (line, form) in enumerate(forms)]
    entries = [f'    {{"{k.form}", k{k.number}, {k.words()}}},' for k in kernels]
    return "\n".join(
        [
            f'#include "{HERE / "results.h"}"',
            "__device__ Bits memory[8 * runs];",
            *(kernel.source() for kernel in kernels),
            "static const Form forms[] = {",
            *entries,
            "};",
            "int main(int argc, char** argv) {",
            "  return run_forms(forms, sizeof forms / sizeof *forms, argc > 1 ? argv[1] : nullptr);",
            "}",
            "",
        ]
    )


def part(forms, number, parts):
    return program(forms[number::parts])


def all_forms(some=False):
    chosen = []
    for line, forms in tested():
        picked = forms if not some else [forms[i] for i in sorted({0, len(forms) - 1})]
        chosen += [(line, form) for form in picked]
    return chosen


def source(options):
    sys.stdout.write(part(all_forms(), options.part, options.parts))
    return 0


def read(texts):
    """{form: hash} of what the programs print."""
    found = {}
    for text in texts:
        for line in text.splitlines():
            value, _, form = line.partition(" ")
            found[form] = value
    return found


def recorded():
    found = {}
    for text in RECORD.read_text().splitlines():
        if text.startswith("#"):
            continue
        shown, _, values = text.rpartition(": ")
        found[shown] = values.split()
    return found


def take(options):
    found = read(pathlib.Path(name).read_text() for name in options.files)
    text = [
        "# Recorded on an H200 by the programs of results.py: of every line of instructions.txt that is run,",
        "# a hash of the results of each of its forms over the values of results.h.",
    ]
    for line, forms in tested():
        text.append(f"{line.shown}: " + " ".join(found.get(form, "-") for form in forms))
    RECORD.write_text("\n".join(text) + "\n")
    return 0


def run_part(cc, folder, forms, number, parts):
    path = pathlib.Path(folder) / f"part{number}.cu"
    path.write_text(part(forms, number, parts))
    built = path.with_suffix("")
    done = subprocess.run(
        [cc, "-O0", str(path), "-o", str(built)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(done.stderr[:3000])
    return subprocess.run([str(built)], capture_output=True, text=True, check=False).stdout


def check(options):
    forms = all_forms(options.some)
    parts = max(1, len(forms) // 100)
    with (
        tempfile.TemporaryDirectory() as folder,
        concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool,
    ):
        texts = pool.map(
            lambda number: run_part(options.cc, folder, forms, number, parts), range(parts)
        )
        found = read(texts)
    expected = recorded()
    wanted = {}
    for line, all_of_it in tested():
        values = expected.get(line.shown, [])
        wanted.update(zip(all_of_it, values, strict=False))
    wrong = collections.Counter()
    for line, form in forms:
        if wanted.get(form) != found.get(form):
            wrong[line.shown] += 1
            print(
                f"{form}: {found.get(form)}, an H200 gives {wanted.get(form, 'nothing recorded')}"
            )
    print(f"{len(forms) - sum(wrong.values())} of {len(forms)} forms as on an H200")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    sources = commands.add_parser("source")
    sources.add_argument("part", type=int)
    sources.add_argument("parts", type=int)
    sources.set_defaults(run=source)
    checks = commands.add_parser("check")
    checks.add_argument("cc")
    checks.add_argument("--some", action="store_true")
    checks.set_defaults(run=check)
    takes = commands.add_parser("take")
    takes.add_argument("files", nargs="+")
    takes.set_defaults(run=take)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
