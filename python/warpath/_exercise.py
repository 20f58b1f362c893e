"""A learner's twin, judged as ours is: what `./warpath grade` and `watch` ask for a Triton or a WGSL file.

    python -m warpath exercise softmax my/softmax/softmax.py --json

Right on the op's cases, right on numbers of another seed; and of a Triton file, whether its kernels stay in their tensors
and leave their inputs alone. What is no solution is refused before it is run, or by what its launcher does.
"""

import argparse
import functools
import importlib.util
import json
import math
import re
import sys
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import torch

from warpath import _cases, _folders, _forbidden, _rows, _twins
from warpath._cases import Case, CaseData
from warpath._compare import _quietly
from warpath._contract import Op

# Of a case by an interpreter on a CPU: more takes seconds.
MOST_ELEMENTS = 300_000
MOST_WORK = 300 * MOST_ELEMENTS
FRESH = 8  # cases that are run again with other numbers


class Refused(Exception):
    """What it does is no solution."""


@dataclass
class Part:
    passed: int = 0
    failed: int = 0
    trouble: str = ""  # the first


@dataclass
class Answer:
    op: str
    file: str
    refused: list[str] = field(default_factory=list)
    right: Part = field(default_factory=Part)
    fresh: Part = field(default_factory=Part)
    clean: Part | None = field(default_factory=Part)  # None: the accesses cannot be watched here


class Unclean(Exception):
    """Right or wrong, it touches what is not its own."""


def chosen_cases(language, sample: int | None) -> list[tuple[Case, str]]:
    """Each case in one type that the language has, another from case to case; every type has a first case. `sample`: that
    many of them, small ones first."""
    gpu, seen, chosen = _rows.gpu(), set(), []
    for turn, case in enumerate(_cases.cases(language.op)):
        dtypes = [d for d in case.dtypes if language.takes(d)]
        work = math.prod(case.dims.values()) if len(case.dims) > 2 else 0
        if case.bench or (not gpu and (case.elements > MOST_ELEMENTS or work > MOST_WORK)):
            continue
        for dtype in dtypes:
            if gpu or dtype not in seen or dtype == dtypes[turn % len(dtypes)]:
                chosen.append((case, dtype))
                seen.add(dtype)
    if sample is None or sample >= len(chosen):
        return chosen
    return filled_cases(chosen)[:sample]


def filled_cases(chosen: list[tuple[Case, str]]) -> list[tuple[Case, str]]:
    """Those with something to compute, small ones first."""
    by_size = sorted(chosen, key=lambda c: c[0].elements)
    return [
        (c, d) for c, d in by_size if c.elements > 16 and min(c.dims.values(), default=1) > 0
    ] or by_size


# --- the two languages ----------------------------------------------------------------------------


class Triton:
    def __init__(self, op: Op, file: Path):
        self.op, self.file = op, file
        self.solution = _folders.file(op, f"{op.folder}.py")
        if self.solution is None:
            raise ValueError(f"there is no {_folders.words(op, f'{op.folder}.py')}")

    def refused(self) -> list[str]:
        return _forbidden.in_triton(self.file.read_text(), self.solution.read_text(), self.op.name)

    def load(self) -> None:
        _twins.interpret_without_gpu()
        spec = importlib.util.spec_from_file_location("warpath_exercise", self.file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        self.function = getattr(module, self.op.name)

    def takes(self, dtype: str) -> bool:
        return True

    def _run(self, function: Callable, case_data: CaseData):
        from warpath import _watched

        arguments = list(case_data.arguments(_twins.device()))
        before = [_copies(a) for a in arguments]
        with _watched.watching(str(self.file)) as (launcher, memory):
            try:
                result = function(*arguments, **case_data.scalars)
            except Exception as why:
                if bad := _cause(why, _watched.OutOfBounds):
                    raise Unclean(str(bad)) from None
                raise
        for p, old, new in zip(self.op.tensors, before, arguments, strict=True):
            if not p.mutated and not _same(old, _copies(new)):
                raise Unclean(f"the input '{p.name}' was changed")
        if not self.op.functional:
            result = () if result is None else result if isinstance(result, tuple) else (result,)
            result = case_data.changed(arguments, result)
        return result, launcher, memory

    @functools.cached_property
    def _ours(self) -> Callable:
        return _twins.find(self.op)

    def judge(self, case_data: CaseData) -> str:
        """Why it is wrong; empty: it is right."""
        result, launcher, memory = self._run(self.function, case_data)
        if launcher.ops or not launcher.launches:
            _, ours, _ = self._run(self._ours, case_data)
            if more := sorted(launcher.ops - ours.ops):
                raise Refused(f"{more[0].strip('_')} of torch does the work outside of the kernel")
            if ours.launches and not launcher.launches:
                raise Refused("it launches no kernel")
        results = result if isinstance(result, tuple) else (result,)
        for r in results:
            if not isinstance(r, torch.Tensor):
                return f"it returns a {type(r).__name__}, not a tensor"
        verdict = case_data.judge(result)
        if verdict.passed:
            return ""
        writer = _writer(case_data, results, verdict.reason, memory)
        return verdict.reason + (f"; {writer}" if writer else "")

    clean = property(lambda self: _twins.device() == "cpu")


class Wgsl:
    clean = False

    def __init__(self, op: Op, file: Path):
        self.op, self.file = op, file
        if _folders.file(op, f"{op.folder}.wgsl") is None:
            raise ValueError(f"there is no {_folders.words(op, f'{op.folder}.wgsl')}")
        _rows.needs("wgpu", "wgpu")
        from warpath import _webgpu

        _webgpu.adapter_name()  # or says that there is none

    def refused(self) -> list[str]:
        return _forbidden.in_wgsl(self.file.read_text(), self.op.name, len(self.op.tensors))

    def load(self) -> None:
        self.text = self.file.read_text()
        self.ours = _folders.file(self.op, f"{self.op.folder}.wgsl").read_text()

    def takes(self, dtype: str) -> bool:
        return dtype == "f32"

    def judge(self, case_data: CaseData) -> str:
        from warpath import _webgpu

        def verdict(text: str) -> str:
            return case_data.judge(_webgpu.prepare(self.op, case_data, text)()).reason

        import wgpu

        try:
            reason = verdict(self.text)
        except wgpu.GPUError as why:
            reason = _shader_error(str(why), self.file.name)
        except Exception as why:  # noqa: BLE001  a buffer without elements, a wrong `//!` line
            reason = str(why)
        if not reason:
            return ""
        # What ours cannot do or gets wrong is no part of the exercise: WGSL promises nothing about NaN and infinity.
        try:
            ours = verdict(self.ours)
        except Exception as why:  # noqa: BLE001
            raise _rows.CannotRun(str(why)) from None
        if ours:
            raise _rows.CannotRun(ours)
        return reason


LANGUAGES = {".py": Triton, ".wgsl": Wgsl}


# --- one file -------------------------------------------------------------------------------------


def _copies(given):
    if isinstance(given, list):
        return [_copies(t) for t in given]
    return None if given is None else given.detach().clone()


def _same(old, new) -> bool:
    if isinstance(old, list):
        return all(map(_same, old, new))
    if old is None:
        return True
    return torch.equal(old.reshape(-1).view(torch.uint8), new.reshape(-1).view(torch.uint8))


def _cause(why: BaseException | None, kind: type) -> BaseException | None:
    while why is not None and not isinstance(why, kind):
        why = why.__cause__ or why.__context__
    return why


def _writer(case_data: CaseData, results: tuple, reason: str, memory) -> str:
    """Of the element that the reason names: y[3,7] is …"""
    named = re.match(r"(\w+)\[([\d,]+)\] is ", reason)
    if not named or _twins.device() != "cpu":
        return ""
    names = [t["name"] for t in case_data.told_outputs]
    if len(results) != len(names) or named[1] not in names:
        return ""
    tensor = results[names.index(named[1])]
    at = [int(i) for i in named[2].split(",")]
    if len(at) != tensor.dim():
        return ""
    address = tensor.data_ptr() + tensor.element_size() * sum(
        i * s for i, s in zip(at, tensor.stride(), strict=True)
    )
    return memory.writer(address) or "no program wrote it"


def _line(why: BaseException, file: Path) -> str:
    """The innermost line of the learner's file, and what went wrong there."""
    root = why
    while (inner := root.__cause__ or root.__context__) is not None:
        root = inner
    words = str(root).strip().splitlines()
    text = f"{type(root).__name__}{': ' + words[0] if words else ''}"
    for link in (root, why):
        lines = [f for f in traceback.extract_tb(link.__traceback__) if f.filename == str(file)]
        if lines:
            return f"{file.name}:{lines[-1].lineno}: {text}"
    return text


def _shader_error(message: str, file: str) -> str:
    """What the compiler or the validation of WebGPU says, in one line with the place."""
    lines = [m.strip() for m in message.splitlines() if m.strip()]
    place = re.search(r"wgsl:(\d+):(\d+)", message)
    errors = [m.partition("error: ")[2] for m in lines if "error: " in m]
    said = (errors or lines[-1:] or [""])[0]
    return f"{file}:{place[1]}:{place[2]}: {said}" if place else said


def _try(language, case: Case, dtype: str, seed: int, part: Part, answer: Answer) -> None:
    where = f"case {case.name} {dtype}"
    try:
        with _quietly():
            reason = language.judge(CaseData(case, dtype, seed=seed))
    except _rows.CannotRun:
        return  # nor can ours
    except Refused as why:
        answer.refused = [f"{why} ({where})"]
        return
    except Unclean as why:
        reason = str(why)
        answer.clean.failed += 1
        answer.clean.trouble = answer.clean.trouble or f"{where}: {why}"
    except Exception as why:  # noqa: BLE001  a learner's file fails in every way there is
        reason = _line(why, language.file)
    if reason:
        part.failed += 1
        part.trouble = part.trouble or f"{where}: {reason}"
    else:
        part.passed += 1


def judge(op: Op, file: Path, seed: int, sample: int | None, first: bool) -> Answer:
    """`first`: the end at the first trouble."""
    answer = Answer(op.name, str(file))
    language = LANGUAGES[file.suffix](op, file.resolve())
    try:
        answer.refused = language.refused()
    except SyntaxError as why:
        answer.right.failed = 1
        answer.right.trouble = f"{file.name}:{why.lineno}: {why.msg}"
        return answer
    if answer.refused:
        return answer
    try:
        with _quietly():
            language.load()
    except Exception as why:  # noqa: BLE001
        answer.right.failed = 1
        answer.right.trouble = _line(why, language.file)
        return answer
    chosen = chosen_cases(language, sample)
    again = filled_cases(chosen)[:FRESH]
    for part, numbers, run in ((answer.right, 1, chosen), (answer.fresh, seed, again)):
        for case, dtype in run:
            _try(language, case, dtype, numbers, part, answer)
            if answer.refused or (first and part.trouble):
                return answer
    if not language.clean:
        answer.clean = None
    elif answer.clean.failed == 0:
        answer.clean.passed = answer.right.passed + answer.right.failed
    return answer


def main(arguments: list[str], ops: dict[str, Op]) -> int:
    """Exit status: 0 it was judged, 2 it cannot be judged here."""
    parser = argparse.ArgumentParser(prog="warpath exercise", description=__doc__)
    parser.add_argument("op")
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=2, help="of the fresh numbers")
    parser.add_argument("--sample", type=int, help="so many of the cases, small ones first")
    parser.add_argument("--first", action="store_true", help="end at the first trouble")
    given = parser.parse_args(arguments)
    try:
        if given.op not in ops:
            raise ValueError(f"there is no op '{given.op}'; there are: {', '.join(sorted(ops))}")
        if given.file.suffix not in LANGUAGES:
            raise ValueError(f"{given.file} is neither Triton (.py) nor WGSL (.wgsl)")
        answer = judge(ops[given.op], given.file, given.seed, given.sample, given.first)
    except (ValueError, OSError, _twins.Missing, _rows.CannotRun) as why:
        print(f"warpath: {why}", file=sys.stderr)
        return 2
    print(json.dumps(asdict(answer), indent=1))
    return 0
