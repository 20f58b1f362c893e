"""The exercises in Triton and WGSL: every stub that a day names is refused as it is and accepted with the solution put back;
and what is no solution is refused, with the reason. WARPATH_ALL=1: on every case, not on a sample."""

import json
import os
import subprocess
from pathlib import Path

import pytest
import warpath
from conftest import ALL_OPS
from warpath import _cases, _exercise, _folders, _rows, _twins

# Triton's LLVM and that of Mesa's Vulkan driver live in one process only if Triton comes first.
_twins.interpret_without_gpu()
pytest.importorskip("triton.language")

PROGRAM = Path(warpath.__file__).parents[2] / "bin" / "warpath"
SAMPLE = None if os.environ.get("WARPATH_ALL") else 2


def program(*words: str) -> str:
    done = subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True)
    return done.stdout


def exercises() -> list[str]:
    """As `start` prints them: my/softmax/softmax.py, each once."""
    found = set()
    for track in "ABCDE":
        for day in json.loads(program("days", track, "--json"))["days"]:
            for line in day["commands"]:
                words = line["command"].split()
                if words[:2] != ["./warpath", "start"]:
                    continue
                if words[2].endswith(".wgsl") or day["kind"] == "triton":
                    found.add(program("start", words[2], "--where").split()[1])
    return sorted(found)


EXERCISES = exercises()


def judge(file: Path, op: str, **more) -> _exercise.Answer:
    try:
        return _exercise.judge(
            ALL_OPS[op], file, more.get("seed", 7), SAMPLE, more.get("first", False)
        )
    except _rows.CannotRun as why:
        pytest.skip(str(why))


def right(answer: _exercise.Answer) -> bool:
    parts = [p for p in (answer.right, answer.fresh, answer.clean) if p is not None]
    return not answer.refused and all(p.passed and not p.failed for p in parts)


def test_some_are_there():
    assert sum(e.endswith(".py") for e in EXERCISES) >= 15
    assert sum(e.endswith(".wgsl") for e in EXERCISES) >= 12


@pytest.mark.parametrize("exercise", EXERCISES)
def test_stub_is_refused_and_solution_accepted(exercise, tmp_path):
    name = exercise.removeprefix("my/")
    file = tmp_path / Path(name).name
    file.write_text(program("start", name, "--print"))
    assert "Your code here" in file.read_text()
    as_it_is = judge(file, file.stem, first=True)
    assert as_it_is.right.failed or as_it_is.refused, "the stub passes as it is"
    op = ALL_OPS[file.stem]
    file.write_text(_folders.file(op, f"{op.folder}{file.suffix}").read_text())
    solved = judge(file, file.stem)
    assert right(solved), solved


# --- what is no solution ----------------------------------------------------------------------------------------------

SOFTMAX = _folders.file(ALL_OPS["softmax"], "softmax.py")
BODY = "    x = x.contiguous()\n    y = torch.empty_like(x)\n"
STORE = "    tl.store(y + at, result.to(y.dtype.element_ty), mask=inside)\n"
CHANGE = "    tl.store(x + at, result.to(x.dtype.element_ty), mask=inside)\n"


def edited(old: str, new: str, file: Path = SOFTMAX) -> str:
    text = file.read_text()
    assert old in text, f"{file} no longer has: {old}"
    return text.replace(old, new, 1)


def in_launcher(line: str) -> str:
    return edited(BODY, BODY + f"    {line}\n")


TOP = "import torch\n"
LANGUAGE = "import triton.language as tl\n"
# Name, source, a part of the reason.
CHEATS = [
    ("torch's own op", in_launcher("return torch.softmax(x, -1)"), "torch.softmax"),
    ("the same as a method", in_launcher("return x.softmax(-1)"), "softmax of torch"),
    ("by arithmetic", in_launcher("return x.exp() / x.exp().sum(-1, keepdim=True)"), "of torch"),
    ("torch.nn", edited(TOP, "import torch.nn.functional as F\n" + TOP), "op of torch's"),
    ("warpath's op", edited(TOP, "import warpath\n" + TOP), "kernels of ours"),
    ("the same by torch.ops", in_launcher("return torch.ops.warpath.softmax(x)"), ".ops"),
    ("the shipped twin", edited(TOP, "import importlib.util\n" + TOP), "no kernel needs"),
    ("numpy", in_launcher("x.numpy()"), "on the host"),
    ("results kept", edited(LANGUAGE, LANGUAGE + "\nKEPT = {}\n"), "one launch to the next"),
    (
        "results kept by a cache",
        edited("def softmax(", "@functools.cache\ndef softmax("),
        "one launch to the next",
    ),
    ("results kept in a global", in_launcher("global seen; seen = x"), "one launch to the next"),
    ("a thread", edited(TOP, "import threading\n" + TOP), "no kernel needs"),
    ("the clock", edited(TOP, "import time\n" + TOP), "no kernel needs"),
    ("the process", in_launcher("exit()"), "tampers"),
    ("files", in_launcher("open('/proc/self/mem')"), "reaches outside"),
    ("the reference", in_launcher("x.__class__.__base__"), "private name"),
    ("another stream", in_launcher("torch.cuda.Stream()"), "another stream"),
    ("code when it is loaded", edited(TOP, TOP + "torch.empty = None\n"), "one launch to the next"),
    ("no launch", in_launcher("return y"), "launches no kernel"),
    ("nothing", edited(STORE, "    pass\n"), "no program wrote it"),
    ("its inputs changed", edited(STORE, STORE + CHANGE), "was changed"),
    ("past the end", edited(STORE, STORE.replace(", mask=inside", "")), "past the end of 'y'"),
    (
        "wrong by a little",
        edited("power / tl.sum(power, 1)", "1.001 * power / tl.sum(power, 1)"),
        "written last by program",
    ),
    ("does not parse", edited("def softmax(", "def def softmax("), "invalid syntax"),
    ("another op", _folders.file(ALL_OPS["relu"], "relu.py").read_text(), "no function softmax"),
]


@pytest.mark.parametrize(("source", "reason"), [pytest.param(*c[1:], id=c[0]) for c in CHEATS])
def test_cheat_is_refused(source, reason, tmp_path):
    file = tmp_path / "softmax.py"
    file.write_text(source)
    answer = judge(file, "softmax")
    parts = [p for p in (answer.right, answer.fresh, answer.clean) if p is not None]
    said = [*answer.refused, *(p.trouble for p in parts)]
    assert not right(answer)
    assert any(reason in s for s in said), said


VECTOR_ADD = _folders.file(ALL_OPS["vector_add"], "vector_add.wgsl")
WGSL_CHEATS = [
    ("an input written", edited("var<storage, read> a", "var<storage, read_write> a", VECTOR_ADD), "an input"),
    ("no kernel of the op", edited("fn vector_add", "fn other", VECTOR_ADD), "no @compute fn vector_add"),
    ("nothing", edited("c[id.x] = a[id.x] + b[id.x];", "", VECTOR_ADD), "expected"),
    ("does not compile", edited("c[id.x] =", "c[id.x] = = ", VECTOR_ADD), "vector_add.wgsl:13:"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "reason"), [pytest.param(*c[1:], id=c[0]) for c in WGSL_CHEATS])
def test_wgsl_cheat_is_refused(source, reason, tmp_path):
    file = tmp_path / "vector_add.wgsl"
    file.write_text(source)
    answer = judge(file, "vector_add")
    assert not right(answer)
    said = [*answer.refused, answer.right.trouble]
    assert any(reason in s for s in said), said


def test_fresh_numbers_are_others():
    case = next(c for c in _cases.cases(ALL_OPS["softmax"]) if c.name == "prime")
    one, two = (_cases.CaseData(case, "f32", seed=s).inputs["x"] for s in (1, 2))
    assert not one.equal(two)
    assert one.equal(_cases.CaseData(case, "f32").inputs["x"])
