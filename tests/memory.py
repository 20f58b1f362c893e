"""Holds the tables of scratch memory, and what the pages promise of it, against what the rungs ask for.

    memory.py PROGRAM            1 if a table is stale or a rung asks for more than is promised
    memory.py PROGRAM --write    writes the tables

ops/FAMILY/OP/memory.json is a table of OP's timed cases: `warpath ops OP --json` asks each rung for its bytes, by the function
that its launcher uses. No GPU is needed.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Of an op: what each timed case is measured by, in bytes, and the largest share of it that a rung may ask for. "chosen" is
# the rung that the library takes.
PROMISED = {
    "linear_cross_entropy": (
        # Inputs and gradients; of the loss alone what they would be.
        lambda tensors: 2 * (tensors["hidden"] + tensors["weight"]),
        {"chosen": 1.2, "04_slices_sm90": 0.2},
    )
}


def megabytes(number: int, chosen: bool = False) -> str:
    text = f"{number / 1e6:.0f}"
    return f"**{text}**" if chosen else text


def timed_cases(program: str, op: str) -> list[tuple[dict, str, dict]]:
    run = [program, "ops", op, "--json"]
    told = subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT)
    (one,) = [each for each in json.loads(told.stdout)["ops"] if each["op"] == op]
    return [
        (case, dtype, memory)
        for case in one["cases"]
        for dtype, memory in case.get("memory", {}).items()
    ]


def table_of(cases: list[tuple[dict, str, dict]]) -> dict:
    """Rungs that ask for the same everywhere share a column."""
    rungs = {rung: [m["scratch"].get(rung) for _, _, m in cases] for _, _, m in cases for rung in m["scratch"]}  # fmt: skip
    alike: dict[tuple, list[str]] = {}
    for rung, asked in rungs.items():
        alike.setdefault(tuple(asked), []).append(rung)
    rows = []
    for i, (case, dtype, memory) in enumerate(cases):
        chosen = case["chosen"][dtype]
        cells = [megabytes(asked[i], chosen in names) if asked[i] is not None else "–" for asked, names in alike.items()]  # fmt: skip
        rows.append(
            [f"{case['name']}, {dtype}", megabytes(sum(memory["tensors"].values())), *cells]
        )
    scratch = ["scratch of " + ", ".join(name[:2] for name in names) for names in alike.values()]
    return {
        "columns": ["MB", "all tensors of the call", *scratch],
        "rows": rows,
        "note": "Bold: the rung that the library chooses on an sm_90. Asked of the rungs by tests/memory.py.",
    }


def broken_promises(op: str, cases: list[tuple[dict, str, dict]]) -> list[str]:
    size_of, promised = PROMISED[op]
    found = []
    for case, dtype, memory in cases:
        size = size_of(memory["tensors"])
        for who, share in promised.items():
            rung = case["chosen"][dtype] if who == "chosen" else who
            asked = memory["scratch"][rung]
            if asked > share * size:
                found.append(
                    f"{op} {case['name']} {dtype}: {rung} asks for {asked} bytes, {asked / size:.3f} of "
                    f"{size}; {share} is promised"
                )
    return found


def main() -> int:
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        sys.exit(__doc__)
    tables = sorted(ROOT.glob("ops/*/*/memory.json"))
    wrong = [f"{op}: no memory.json" for op in PROMISED.keys() - {t.parent.name for t in tables}]
    for path in tables:
        op = path.parent.name
        cases = timed_cases(sys.argv[1], op)
        if not cases:
            wrong.append(f"{op}: no timed case says what its rungs ask for")
            continue
        if op in PROMISED:
            wrong += broken_promises(op, cases)
        new = json.dumps(table_of(cases), indent=1, ensure_ascii=False) + "\n"
        if sys.argv[2:]:
            path.write_text(new)
        elif path.read_text() != new:
            wrong.append(f"{path.relative_to(ROOT)} is stale: tests/memory.py PROGRAM --write")
    print("\n".join(wrong) or f"{len(tables)} tables are what the rungs ask for")
    return 1 if wrong else 0


sys.exit(main())
