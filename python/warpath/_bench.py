"""Times of PyTorch, torch.compile and Triton on the ops' bench cases, for `warpath bench --python`: the
same cases, the same reference, the same method as the rungs'. Only on a GPU."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from warpath import _cases, _compare, _rows
from warpath._contract import Op

ROWS = ("PyTorch", "PyTorch, cuDNN", "torch.compile", "Triton")


def records(op: Op, cases: list[str] | None, dtypes: list[str] | None) -> Iterator[dict]:
    """One a bench case, dtype and library, of those wanted; what did not run says why."""
    for case in _cases.cases(op):
        if not case.bench or (cases and case.name not in cases):
            continue
        for dtype in case.dtypes:
            if dtypes and dtype not in dtypes:
                continue
            case_data = _cases.CaseData(case, dtype)
            for row in _compare.choose_rows(op, list(ROWS)):
                if not row.has(op):
                    continue
                result = _compare.measure(row, op, case_data)
                # A library may hand out "infinite" errors, which JSON has no word for.
                known = result.error is not None and result.error != float("inf")
                yield {
                    "op": op.name,
                    "name": result.library,
                    "case": case.name,
                    "dtype": dtype,
                    "passed": result.passed,
                    "reason": result.note,
                    "error": result.error if known else None,
                    "bytes": case_data.bytes,
                    "flops": case_data.flops,
                    "median_us": result.time_us,
                    "p20_us": result.p20_us,
                    "p80_us": result.p80_us,
                }


def main(arguments: list[str], ops: dict[str, Op]) -> int:
    """Exit status: 0 the file is written, 2 it is not."""
    parser = argparse.ArgumentParser(prog="python -m warpath bench", description=__doc__)
    parser.add_argument("op", nargs="+", help="ops, as softmax")
    parser.add_argument("--case", action="append", help="only this one; may be given again")
    parser.add_argument("--dtype", action="append", help="only this one; may be given again")
    parser.add_argument("--output", required=True, help="the JSON file")
    given = parser.parse_args(arguments)
    if not _rows.gpu():
        print("warpath: times need an NVIDIA GPU and a torch with CUDA", file=sys.stderr)
        return 2
    unknown = [name for name in given.op if name not in ops]
    if unknown:
        print(f"warpath: there is no op '{unknown[0]}'", file=sys.stderr)
        return 2
    made = [r for name in given.op for r in records(ops[name], given.case, given.dtype)]
    Path(given.output).write_text(json.dumps(made, indent=1))
    return 0
