"""The table: one op by every library that has it, checked against float64, timed where that says something."""

import argparse
import contextlib
import json
import math
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from warpath import _cases, _rows, _timing, _twins
from warpath._cases import Case, CaseData, Verdict
from warpath._contract import DTYPES, Op, check_name
from warpath._rows import CannotRun, Row

# A case for the table where there is no GPU: simt and two interpreters must get through it.
MOST_ON_CPU = 1 << 18


@dataclass
class Result:
    library: str
    passed: bool | None = None  # None: it did not run
    error: float | None = None  # the largest, against float64
    time_us: float | None = None
    p20_us: float | None = None
    p80_us: float | None = None
    ratio: float | None = None  # PyTorch's time / its own: above 1 is faster
    method: str = ""
    note: str = ""  # why a column is empty, or what was wrong


def _judge(run: Callable, op: Op, case_data: CaseData) -> Verdict:
    results = run()
    if not op.functional:
        results = () if results is None else results
        results = results if isinstance(results, tuple) else (results,)
        results = case_data.changed(run.args, results)
    return case_data.judge(results)


@contextlib.contextmanager
def _quietly():
    """Nothing of what other libraries print, in Python or in C: warnings of numpy, remarks of a Vulkan driver."""
    streams = [s for s in (sys.stdout, sys.stderr) if s is not None]
    for stream in streams:
        stream.flush()
    kept = [os.dup(fd) for fd in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for fd in (1, 2):
            os.dup2(nowhere, fd)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for stream in streams:
            stream.flush()
        for fd, was in zip((1, 2), kept, strict=True):
            os.dup2(was, fd)
            os.close(was)
        os.close(nowhere)


def _sizes(op: Op, case_data: CaseData) -> dict[str, int]:
    """By the names of dimensions, of the inputs that the case has."""
    sizes = {}
    for t in op.tensors:
        given = case_data.inputs.get(t.name)
        if not isinstance(given, torch.Tensor):
            continue
        axes = iter(given.shape)
        for dim in t.dims:
            taken = given.dim() - len(t.dims) + 1 if dim.leading else 1
            size = math.prod(next(axes) for _ in range(taken))
            if dim.name and not dim.and_name:
                sizes[dim.name] = size - dim.plus
    return sizes


def _computes_more(op: Op, case_data: CaseData) -> bool:
    """Whether the case leaves out results that a call from Python always has, more than a hundredth of what it moves: those that
    the given inputs size. The mean of each group is no matter, a gradient is."""
    told = {t["name"] for t in case_data.told_outputs}
    sizes = _sizes(op, case_data)
    left_out = 0
    for output in op.outputs:
        named = {name for dim in output.dims for name in (dim.name, dim.and_name) if name}
        if output.name not in told and named <= sizes.keys():
            axes = (sizes.get(d.name, 0) + sizes.get(d.and_name, 0) + d.plus for d in output.dims)
            left_out += 4 * math.prod(axes)
    return left_out > 0.01 * case_data.bytes


def measure(row: Row, op: Op, case_data: CaseData, timed: bool = True) -> Result:
    """Checked first, then timed, then checked again; all of it alone on the GPU, or what another process times would wait for
    this one's checks."""
    with _quietly(), _timing.device_lock() if row.on_gpu and timed else contextlib.nullcontext():
        return _measure(row, op, case_data, timed)


def _measure(row: Row, op: Op, case_data: CaseData, timed: bool) -> Result:
    result = Result(row.name)
    _twins.interpret_without_gpu()  # before torch.compile imports Triton
    try:
        _rows.refuse(row, op)
        run = row.prepare(op, case_data)
        verdict = _judge(run, op, case_data)
    except CannotRun as why:
        result.note = str(why)
        return result
    except Exception as why:  # noqa: BLE001  a library's own failure is its row's, not the table's
        result.note = (
            f"{type(why).__name__}: {str(why).strip().splitlines()[0] if str(why) else ''}"
        )
        return result
    result.passed, result.error, result.note = verdict.passed, verdict.largest, verdict.reason
    if not verdict.passed or not timed:
        return result
    result.note = row.not_timed()
    if _computes_more(op, case_data):
        result.note = "computes results that this case leaves out: no time"
    if result.note:
        return result
    time = (_timing.on_gpu if row.on_gpu else _timing.on_cpu)(run)
    if not op.functional:
        run = row.prepare(op, case_data)  # the arguments have changed with every run
    result.passed = _judge(run, op, case_data).passed
    if result.passed:
        result.time_us, result.p20_us, result.p80_us = time.microseconds, time.p20, time.p80
        result.method = time.method
    else:
        result.note = "right at first, wrong after the timed runs"
    return result


def choose_case(op: Op, name: str | None, dtype: str | None) -> tuple[Case, str]:
    cases = _cases.cases(op)
    if name is not None:
        found = [c for c in cases if c.name == name]
        if not found:
            raise ValueError(
                f"{op.name} has no case '{name}'; it has: {', '.join(c.name for c in cases)}"
            )
    elif _rows.gpu():
        found = [c for c in cases if c.bench][:1]
    else:
        fit = [c for c in cases if not c.bench and not c.offset and c.elements <= MOST_ON_CPU]
        found = sorted(fit, key=lambda c: -c.elements)[:1]
    if not found:
        raise ValueError(f"{op.name} has no case for this table")
    case = found[0]
    dtype = dtype or ("f32" if "f32" in case.dtypes else case.dtypes[0])
    if dtype not in case.dtypes:
        raise ValueError(
            f"case '{case.name}' is not for {dtype}; it is for {', '.join(case.dtypes)}"
        )
    return case, dtype


def choose_rows(op: Op, wanted: list[str] | None) -> list[Row]:
    if not wanted:
        return [row for row in _rows.ROWS if row.has(op)]
    wanted = [wanted] if isinstance(wanted, str) else wanted
    known = {r.name.lower(): r for r in _rows.ROWS}
    for name in wanted:
        if name.lower() not in known:
            names = ", ".join(repr(r.name) for r in _rows.ROWS)
            raise ValueError(f"there is no row '{name}'; there are: {names}")
    return [known[name.lower()] for name in wanted]


def rate(results: list[Result]) -> None:
    base = next((r.time_us for r in results if r.library == "PyTorch"), None)
    for r in results:
        if base is not None and r.time_us is not None:
            r.ratio = base / r.time_us


def table(
    op: Op, case: str | None, dtype: str | None, rows: list[str] | None
) -> tuple[dict, list[Result]]:
    """What was compared, and one result per row."""
    if isinstance(dtype, torch.dtype):
        dtype = next((name for name, d in DTYPES.items() if d == dtype), str(dtype))
    chosen, dtype = choose_case(op, case, dtype)
    case_data = CaseData(chosen, dtype)
    results = [measure(row, op, case_data) for row in choose_rows(op, rows)]
    rate(results)
    device = torch.cuda.get_device_name() if _rows.gpu() else "CPU"
    facts = {
        "op": op.name,
        "case": chosen.name,
        "dtype": dtype,
        "dims": chosen.dims,
        "device": device,
    }
    return facts, results


def frame(facts: dict, results: list[Result]):
    try:
        import pandas
    except ImportError:
        raise RuntimeError("warpath.compare gives a DataFrame: pip install pandas") from None
    # To pandas None is true: a row that did not run has not passed, and `ran` tells it from one that failed.
    rows = [{"ran": r.passed is not None, **asdict(r), "passed": bool(r.passed)} for r in results]
    made = pandas.DataFrame(rows).set_index("library")
    made.attrs.update(facts)
    return made


# --- the command ------------------------------------------------------------------------------------


def _print(facts: dict, results: list[Result]) -> None:
    dims = ", ".join(f"{name} {size}" for name, size in facts["dims"].items())
    print(f"{facts['op']}, case '{facts['case']}' ({dims}), {facts['dtype']}, {facts['device']}\n")
    print(f"  {'':22}{'check':8}{'error':>10}{'time':>12}{'ratio':>8}")
    for r in results:
        check = {True: "passed", False: "FAILED", None: "-"}[r.passed]
        error = "" if r.error is None else f"{r.error:.2g}"
        time = "" if r.time_us is None else f"{r.time_us:.1f} us"
        ratio = "" if r.ratio is None else f"{r.ratio:.2f}"
        print(f"  {r.library:22}{check:8}{error:>10}{time:>12}{ratio:>8}  {r.note}".rstrip())
    count = {state: sum(r.passed is state for r in results) for state in (True, False, None)}
    print(f"\n  {count[True]} passed, {count[False]} failed, {count[None]} did not run")
    for method in dict.fromkeys(r.method for r in results if r.method):
        print(f"\n  time: {method}; ratio: PyTorch's time / its own")


class _Parser(argparse.ArgumentParser):
    """A wrong command is told in one line, as by the other commands."""

    def error(self, message: str):
        self.exit(2, f"warpath: {message}; see ./warpath compare --help\n")


def main(arguments: list[str], ops: dict[str, Op]) -> int:
    """Exit status: 0 what ran passed, 1 a check failed, 2 the command was wrong, or nothing ran of what it names."""
    parser = _Parser(prog="warpath compare", description=__doc__)
    parser.add_argument("op", nargs="?", help="an op, as softmax")
    parser.add_argument("--case", help="one of the op's cases; default: a large one")
    parser.add_argument("--dtype", help="f32, f16, bf16, …; default f32")
    parser.add_argument("--row", action="append", help="only this library; may be given again")
    parser.add_argument("--json", action="store_true", help="the same as data")
    parser.add_argument("--output", metavar="FILE", help="the same as data into a file too")
    parser.add_argument("--plot", metavar="FOLDER", help="time against size, as PNG and SVG")
    given = parser.parse_args(arguments)
    if given.op is None:
        parser.error("compare needs an op, as ./warpath compare softmax")
    try:
        check_name(ops, given.op)
        op = ops[given.op]
        facts, results = table(op, given.case, given.dtype, given.row)
        files = []
        if given.plot:
            from warpath import _plot

            files = _plot.save(op, given.dtype, choose_rows(op, given.row), Path(given.plot))
        text = json.dumps({**facts, "rows": [asdict(r) for r in results], "plots": files}, indent=1)
        if given.output:
            file = Path(given.output)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + "\n")
    except OSError as why:
        print(f"warpath: cannot write {why.filename}: {why.strerror}", file=sys.stderr)
        return 2
    except (ValueError, RuntimeError) as why:
        print(f"warpath: {why}", file=sys.stderr)
        return 2
    if given.json:
        print(text)
    else:
        _print(facts, results)
        for file in files:
            print(f"wrote {file}")
    if any(r.passed is False for r in results):
        return 1
    # Without --row, what is not installed is left out; a row that was asked for has to run.
    missing = [r for r in results if r.passed is None]
    return 2 if missing and (given.row or len(missing) == len(results)) else 0
