"""The tables of errors in the lessons: what the scripts beside them measure, for every rung that there is."""

import json
import runpy
from pathlib import Path

import pytest
import warpath

OPS = Path(warpath.__file__).resolve().parents[2] / "ops"
ATTENTION = OPS / "attention/attention"
LAYER_NORM = OPS / "norm/layer_norm"


def rows_of(table: dict) -> dict[str, list]:
    return {row[0]: row[1:] for row in table["rows"]}


def stored(file: Path) -> dict:
    return json.loads(file.read_text(encoding="utf-8"))


def assert_same(measured: dict, table: dict) -> None:
    """Compilers and CPUs may differ in the last digits of an error."""
    assert measured["columns"] == table["columns"]
    for name, row in rows_of(measured).items():
        if name.startswith("PyTorch"):  # its kernels for CPUs differ from CPU to CPU
            continue
        numbers, wanted = ([float(x) for x in r if x != "–"] for r in (row, rows_of(table)[name]))
        assert numbers == pytest.approx(wanted, rel=0.1), name


@pytest.mark.parametrize(
    ("file", "function", "op", "rungs"),
    [
        ("accuracy", "forward", "attention", ["04_warp", "06_mma"]),
        ("accuracy_backward", "backward", "attention_backward", ["03_two_passes"]),
    ],
)
def test_attention(file, function, op, rungs):
    table = stored(ATTENTION / f"{file}.json")
    named = {name.split(",")[0] for name in rows_of(table)}
    assert named - {"PyTorch", "float64"} == set(warpath.rungs(op)), "run accuracy.py again"
    script = runpy.run_path(str(ATTENTION / "accuracy.py"))
    assert_same(script[function](rungs), table)


def test_layer_norm():
    script = runpy.run_path(str(LAYER_NORM / "accuracy.py"))
    assert_same(script["measured"](), stored(LAYER_NORM / "accuracy.json"))
