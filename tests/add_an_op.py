"""Does what docs/add-an-op.md says, word for word, in a family that did not exist: nothing outside the op's folder is edited.

    add_an_op.py BUILD_FOLDER

The tree is this one, by links, with one more folder. The files are the page's own, under the names in its headings. The op
must be found, built, checked, listed, told in the lessons' order and rejected where the page says so. The compiler and the
program are those of the build folder.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAMILY = "a_new_family"
HEADING = re.compile(
    r"^## \d+\. [^\n]*`ops/elementwise/scale/([^`]+)`\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL
)
CODE = re.compile(r"^```(?:cpp|cuda)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def run(command: list, expected: int, **more) -> str:
    done = subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=False, **more
    )
    if done.returncode != expected:
        print(
            f"exit status {done.returncode}, not {expected}: {command}\n{done.stdout}{done.stderr}"
        )
        sys.exit(1)
    return done.stdout


def expect(what: str, holds: bool, text: str) -> None:
    print(f"{'ok   ' if holds else 'FAIL '} {what}")
    if not holds:
        sys.exit(f"{what}:\n{text}")


def main() -> int:
    build = Path(sys.argv[1]).resolve()
    page = (ROOT / "docs/add-an-op.md").read_text()
    with tempfile.TemporaryDirectory() as home:
        tree, libraries = Path(home) / "tree", Path(home) / "build/lib"
        op = tree / "ops" / FAMILY / "scale"
        op.mkdir(parents=True)
        for path in ROOT.iterdir():
            if path.name not in ("ops", ".git", build.name):
                (tree / path.name).symlink_to(path)
        for path in (ROOT / "ops").iterdir():
            (tree / "ops" / path.name).symlink_to(path)
        for name, text in HEADING.findall(page):
            if code := CODE.search(text):
                (op / name).parent.mkdir(exist_ok=True)
                (op / name).write_text(
                    code[1].replace("ops/elementwise/scale", f"ops/{FAMILY}/scale")
                )

        generator = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
        without = [f"-DWARPATH_{part}=OFF" for part in ("CUDA", "LAB", "TESTS")]
        tools = [f"-DWARPATH_TOOLS={build}", "-DCMAKE_CXX_COMPILER_LAUNCHER="]
        configure = ["cmake", "-S", tree, "-B", libraries.parent, *generator, *without, *tools]
        targets = ["scale_host", "scale_simt", "scale_checked", "scale_wrong_simt"]
        run(configure, 0)
        run(["ninja", "-C", libraries.parent, *targets], 0)
        for name in ("device_simt.so", "libsimt.so"):
            (libraries / name).symlink_to(build / "lib" / name)

        program = build / "bin/warpath"
        environment = os.environ | {"WARPATH_ROOT": str(tree), "WARPATH_LIB": str(libraries)}
        lab = {"env": environment, "cwd": tree}
        told = run([program, "check", "scale"], 0, **lab)
        expect("both rungs pass", "2 rungs" in told and "0 failed" in told, told)
        told = run([program, "check", f"{FAMILY}/", "--sanitize"], 0, **lab)
        expect("and under the checks, by the family's name", "2 rungs" in told, told)
        told = run([program, "ops", "scale"], 0, **lab)
        expect("ops shows the ladder", "Sixteen bytes" in told, told)
        told = run([program, "ops", "scale", "--why", "1000"], 0, **lab)
        expect("and which rung is chosen", "chosen" in told, told)
        told = run([program, "check", "scale", "--wrong"], 1, **lab)
        expect("the page's wrong kernel is accepted at first", "ACCEPTED" in told, told)

        case = re.search(r"^    (\{\.name = \"zero special\".*\},)$", page, re.MULTILINE)[1]
        cases = op / "scale.cpp"
        cases.write_text(
            cases.read_text().replace(
                '      {.name = "64Mi"', f'      {case}\n      {{.name = "64Mi"'
            )
        )
        run(["ninja", "-C", libraries.parent, *targets], 0)
        told = run([program, "check", "scale", "--wrong"], 0, **lab)
        expect("with the page's case it is rejected", "1 wrong kernels rejected" in told, told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
