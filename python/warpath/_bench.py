"""Times of PyTorch, torch.compile and Triton on the ops' bench cases, for `warpath bench --python`: the
same cases, the same reference, the same method as the rungs'. Only on a GPU."""

import argparse
import json
import sys
from pathlib import Path

from warpath import _compare, _problems, _rows
from warpath._contract import Op

ROWS = ("PyTorch", "torch.compile", "Triton")


def records(op: Op) -> list[dict]:
    """One a bench case, dtype and library; what did not run says why."""
    made = []
    for case in _problems.cases(op):
        if not case.bench:
            continue
        for dtype in case.dtypes:
            problem = _problems.Problem(case, dtype)
            for row in _compare.choose_rows(list(ROWS)):
                result = _compare.measure(row, op, problem)
                made.append(
                    {
                        "op": op.name,
                        "name": result.library,
                        "case": case.name,
                        "dtype": dtype,
                        "passed": result.passed,
                        "reason": result.note,
                        "error": result.error,
                        "bytes": problem.bytes,
                        "flops": problem.flops,
                        "median_us": result.time_us,
                        "p20_us": result.p20_us,
                        "p80_us": result.p80_us,
                    }
                )
    return made


def main(arguments: list[str], ops: dict[str, Op]) -> int:
    """Exit status: 0 the file is written, 2 it is not."""
    parser = argparse.ArgumentParser(prog="python -m warpath bench", description=__doc__)
    parser.add_argument("op", nargs="+", help="ops, as softmax")
    parser.add_argument("--output", required=True, help="the JSON file")
    given = parser.parse_args(arguments)
    if not _rows.gpu():
        print("warpath: times need an NVIDIA GPU and a torch with CUDA", file=sys.stderr)
        return 2
    unknown = [name for name in given.op if name not in ops]
    if unknown:
        print(f"warpath: there is no op '{unknown[0]}'", file=sys.stderr)
        return 2
    made = [record for name in given.op for record in records(ops[name])]
    # A library may hand out "infinite" errors, which JSON has no word for.
    for record in made:
        if record["error"] is not None and record["error"] == float("inf"):
            record["error"] = None
    Path(given.output).write_text(json.dumps(made, indent=1))
    return 0
