"""The table: rows that run are checked, rows that cannot say why, and no simulator is timed."""

import json

import pytest
import torch
import warpath
from conftest import OPS
from warpath import _compare, _problems, _rows

# torch.compile has a test of its own: it compiles for half a minute.
QUICK = [r.name for r in _rows.ROWS if r.name != "torch.compile"]


@pytest.mark.parametrize("name", list(OPS))
def test_rows(name):
    case = SMALL.get(name, "small")
    known = [c.name for c in _problems.cases(OPS[name])]
    table = warpath.compare(name, case=case if case in known else None, rows=QUICK)
    assert list(table.index) == QUICK
    assert table.loc["Warpath", "passed"]
    for library, row in table.iterrows():
        if row["passed"] is None:
            assert row["note"], f"{library} did not run and does not say why"
        else:
            assert row["passed"], f"{library}: {row['note']}"
        assert bool(row["method"]) == (row["time_us"] is not None and row["time_us"] > 0)
    if not torch.cuda.is_available():
        for library in ("Warpath", "Triton", "WebGPU", "TensorRT"):
            assert table.loc[library, "method"] == "" and table.loc[library, "note"]
    assert table.attrs["op"] == name


SMALL = {"vector_add": "prime", "transpose": "prime", "reduce": "sum prime", "softmax": "prime"}
SMALL |= {"softmax_backward": "prime", "matmul": "tiles"}


@pytest.mark.parametrize("name", SMALL)
def test_known_ops_have_every_library(name):
    """What the curricula compare is there for these: it may not quietly turn into a reason."""
    table = warpath.compare(name, case=SMALL[name], rows=["PyTorch", "ONNX Runtime", "numpy"])
    assert table["passed"].tolist() == [True] * 3
    assert table["ratio"].notna().all() or torch.cuda.is_available()


def test_compiled():
    table = warpath.compare("vector_add", case="prime", rows=["PyTorch", "torch.compile"])
    assert table.loc["torch.compile", "passed"], table.loc["torch.compile", "note"]


def test_wrong_rows_show():
    """A library that is wrong has a row that says so, and no time."""

    class Wrong(_rows.Eager):
        name = "wrong"

        def prepare(self, op, problem):
            right = super().prepare(op, problem)
            return lambda: right() * 1.001

    class Broken(_rows.Eager):
        name = "broken"

        def prepare(self, op, problem):
            raise OSError("it is not there")

    op = OPS["vector_add"]
    problem = _problems.Problem(_compare.choose_case(op, "prime", None)[0], "f32")
    result = _compare.measure(Wrong(), op, problem)
    assert result.passed is False and result.time_us is None and "expected" in result.note
    result = _compare.measure(Broken(), op, problem)
    assert result.passed is None and result.note == "OSError: it is not there"


def test_command(capsys, tmp_path):
    words = ["vector_add", "--case", "prime", "--row", "numpy", "--row", "PyTorch"]
    assert _compare.main([*words, "--json", "--plot", str(tmp_path)], OPS) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["case"] == "prime" and [r["passed"] for r in told["rows"]] == [True, True]
    assert (tmp_path / "vector_add.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "vector_add.svg").read_text()
    assert _compare.main(words, OPS) == 0
    assert "passed" in capsys.readouterr().out
    for wrong in (["nothing"], ["softmax", "--case", "no"], ["softmax", "--row", "no"]):
        assert _compare.main(wrong, OPS) == 2
        error = capsys.readouterr().err
        assert error.startswith("warpath: ") and error.count("\n") == 1
