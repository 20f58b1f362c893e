"""Leaves out, one at a time, every wait, fence and arrival of a Hopper kernel: --check must report each.

    hopper_mutants.py WARPATH_CC PROGRAM.cu

A statement before "// mutate" is left out; "// mutate: OTHER" replaces it by OTHER; a line may have several. The program is compiled
once, with a number that chooses the mutant, and run once for each. Prints what was found and exits with 1 if
a mutant was missed or the program itself reported.
"""

import os
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r"^(\s*)(.*?;)\s*(// mutate.*)$")


def instrument(source):
    """The program with all mutants in it, and their texts."""
    mutants, lines = [], []
    for line in source.split("\n"):
        match = MARK.match(line)
        if not match:
            lines.append(line)
            continue
        blank, statement, marks = match.groups()
        branches = ""
        for mark in marks.split("// ")[1:]:
            other = mark.removeprefix("mutate").strip(": ")
            mutants.append(f"{statement} -> {other}" if other else statement)
            branches += f"if (chosen == {len(mutants)}) {{ {other} }} else "
        lines.append(f"{blank}{branches}{{ {statement} }}")
    text = "\n".join(lines)
    text = text.replace("__global__", "__constant__ int chosen;\n__global__", 1)
    choose = (
        "int main(int, char** arguments) {\n"
        "  const int number = atoi(arguments[1]);\n"
        "  cudaMemcpyToSymbol(chosen, &number, sizeof number);"
    )
    assert "int main() {" in text
    return text.replace("int main() {", choose, 1), mutants


def finding(report):
    for line in report.split("\n"):
        if line.startswith("simt check: ") and "findings" not in line and "warning" not in line:
            return line[len("simt check: ") :]
        if line.startswith("simt: "):
            return line[len("simt: ") :]
    return ""


def main():
    compiler, program = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    with open(program, encoding="utf-8") as file:
        text, mutants = instrument(file.read())
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "mutants.cu"), os.path.join(folder, "mutants")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        include = "-I" + os.path.dirname(program)
        subprocess.run([compiler, "--check", include, source, "-o", binary], check=True)
        for number, what in enumerate(["(nothing)", *mutants]):
            # A kernel that runs for ever would be ended, and count as missed.
            run = subprocess.run(
                [binary, str(number)],
                capture_output=True,
                text=True,
                env={**os.environ, "SIMT_TIMEOUT": "60"},
                check=False,
            )
            found = finding(run.stderr)
            good = (
                (found == "" and run.returncode == 0)
                if number == 0
                else found != "" and "SIMT_TIMEOUT" not in found
            )
            missed += not good
            print(f"{'ok    ' if good else 'MISSED'} {number:2} {what}\n          {found or '-'}")
    print(f"{len(mutants)} mutants, {missed} missed")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main())
