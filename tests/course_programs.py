"""The solutions of the course's programs print what their days promise, and the checks find nothing in them.

course_programs.py CC [NAME …]        the compiler; default: every program that a day names
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

COURSE = Path(__file__).resolve().parent.parent / "course"


def promised() -> dict[str, tuple[str, str, list[str]]]:
    """Of each program: a day that names it, the flags, the lines that it prints."""
    programs = {}
    for file in sorted(COURSE.glob("?.json")):
        track = json.loads(file.read_text())
        for day in track["days"]:
            if "program" in day:
                name = f"{track['track']}{day['day']}"
                programs[day["program"]] = (name, day.get("flags", ""), day["prints"])
    return programs


def complaint(compiler: str, name: str, flags: str, prints: list[str], folder: Path) -> str:
    program = folder / name
    source = COURSE / "programs" / f"{name}.cu"
    compile_it = [compiler, "--check", str(source), "-o", str(program), *flags.split()]
    made = subprocess.run(compile_it, check=False, capture_output=True, text=True)
    if made.returncode:
        return f"does not compile:\n{made.stderr}"
    run = subprocess.run([program], check=False, capture_output=True, text=True, timeout=60)
    if run.returncode or run.stderr:
        return f"ends with {run.returncode}:\n{run.stderr}"
    lines = run.stdout.splitlines()
    return "" if lines == prints else f"prints {lines}, not {prints}"


def main() -> int:
    compiler, *names = sys.argv[1:]
    programs = promised()
    unused = {file.stem for file in COURSE.glob("programs/*.cu")} - programs.keys()
    wrong = [f"{name}.cu: no day names it" for name in sorted(unused)]
    with tempfile.TemporaryDirectory() as folder:
        for name in names or programs:
            day, flags, prints = programs[name]
            if why := complaint(compiler, name, flags, prints, Path(folder)):
                wrong.append(f"{name}.cu (day {day}): {why}")
    print("\n".join([*wrong, f"{len(names or programs)} programs, {len(wrong)} wrong"]))
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
