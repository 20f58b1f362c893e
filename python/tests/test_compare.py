"""The table: rows that run are checked, rows that cannot say why, and no simulator is timed."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import torch
import warpath
from conftest import OPS
from warpath import _bench, _cases, _compare, _overhead, _rows, _timing

pytest.importorskip("pandas")

# torch.compile has a test of its own: it compiles for half a minute.
QUICK = [r.name for r in _rows.ROWS if r.name != "torch.compile"]


def small_case(name: str) -> str:
    """Of an op that nothing is known of, a case that the interpreters get through in a second."""
    if name in SMALL:
        return SMALL[name]
    cases = [c for c in _cases.cases(OPS[name]) if c.elements > 0]
    cases = [c for c in cases if "f32" in c.dtypes] or cases  # augment takes bytes alone
    return min(cases, key=lambda c: abs(c.elements - 5000)).name


@pytest.mark.parametrize("name", list(OPS))
def test_rows(name):
    table = warpath.compare(name, case=small_case(name), rows=QUICK)
    assert list(table.index) == QUICK
    assert table.loc["Warpath", "passed"]
    for library, row in table.iterrows():
        if not row["ran"]:
            assert row["note"], f"{library} did not run and does not say why"
        else:
            assert row["passed"], f"{library}: {row['note']}"
        assert bool(row["method"]) == (row["time_us"] is not None and row["time_us"] > 0)
    if not torch.cuda.is_available():
        for library in ("Warpath", "Triton", "WebGPU", "TensorRT"):
            assert table.loc[library, "method"] == "" and table.loc[library, "note"]
    assert table.attrs["op"] == name


SMALL = {"vector_add": "prime", "transpose": "prime", "reduce": "sum prime", "softmax": "prime"}
SMALL |= {"softmax_backward": "prime", "matmul": "tiles", "matvec": "bias"}


@pytest.mark.parametrize("name", SMALL)
def test_known_ops_have_every_library(name):
    """What the curricula compare is there for these: it may not quietly turn into a reason."""
    timed = ["PyTorch", "ONNX Runtime", "numpy"]
    table = warpath.compare(name, case=SMALL[name], rows=[*timed, "ONNX Runtime, our op"])
    assert table["passed"].tolist() == [True] * 4
    assert table.loc[timed, "ratio"].notna().all() or torch.cuda.is_available()


def test_compiled():
    table = warpath.compare("vector_add", case="prime", rows=["PyTorch", "torch.compile"])
    assert table.loc["torch.compile", "passed"], table.loc["torch.compile", "note"]


def test_wrong_rows_show():
    """A library that is wrong has a row that says so, and no time."""

    class Wrong(_rows.Eager):
        name = "wrong"

        def prepare(self, op, case_data):
            right = super().prepare(op, case_data)
            return lambda: right() * 1.001

    class Broken(_rows.Eager):
        name = "broken"

        def prepare(self, op, case_data):
            raise OSError("it is not there")

    op = OPS["vector_add"]
    case_data = _cases.CaseData(_compare.choose_case(op, "prime", None)[0], "f32")
    result = _compare.measure(Wrong(), op, case_data)
    assert result.passed is False and result.time_us is None and "expected" in result.note
    result = _compare.measure(Broken(), op, case_data)
    assert result.passed is None and result.note == "OSError: it is not there"


def test_rows_that_compute_more_have_no_time():
    """A library that has no way to leave a gradient out does more work; the means of groups are none to speak of."""
    op = OPS["linear_cross_entropy"]
    case = _compare.choose_case(op, "8192 tokens, loss alone", None)[0]
    assert _compare._computes_more(op, _cases.CaseData(case, "bf16", rows=40, words=300, width=64))
    op = OPS["group_norm"]
    case = _compare.choose_case(op, "16x320x64x64 silu", None)[0]
    assert not _compare._computes_more(op, _cases.CaseData(case, "bf16", batch=1))


def test_command(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    words = ["vector_add", "--case", "prime", "--row", "numpy", "--row", "PyTorch"]
    assert _compare.main([*words, "--json", "--plot", str(tmp_path)], OPS) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["case"] == "prime" and [r["passed"] for r in told["rows"]] == [True, True]
    assert (tmp_path / "vector_add.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "vector_add.svg").read_text()
    assert _compare.main([*words, "--output", str(tmp_path / "table.json")], OPS) == 0
    assert "passed" in capsys.readouterr().out
    again = json.loads((tmp_path / "table.json").read_text())
    assert [r["passed"] for r in again["rows"]] == [True, True] and again["op"] == "vector_add"
    for wrong in (["nothing"], ["softmax", "--case", "no"], ["softmax", "--row", "no"]):
        assert _compare.main(wrong, OPS) == 2
        error = capsys.readouterr().err
        assert error.startswith("warpath: ") and error.count("\n") == 1


def test_bench_takes_the_cases_asked_for(monkeypatch):
    class CaseData:
        bytes, flops = 1.0, 2.0

        def __init__(self, case, dtype):
            self.what = case.name, dtype

    monkeypatch.setattr(_cases, "CaseData", CaseData)
    monkeypatch.setattr(
        _compare,
        "measure",
        lambda row, op, case_data: _compare.Result(row.name, note=case_data.what),
    )
    bench = [c for c in _cases.cases(OPS["softmax"]) if c.bench]

    def asked(cases, dtypes):
        return {tuple(r["reason"]) for r in _bench.records(OPS["softmax"], cases, dtypes)}

    assert asked([bench[0].name], ["bf16"]) == {(bench[0].name, "bf16")}
    assert asked(None, None) == {(c.name, dtype) for c in bench for dtype in c.dtypes}


@pytest.mark.skipif(torch.cuda.is_available(), reason="there it measures")
def test_bench_needs_a_gpu(capsys, tmp_path):
    assert _bench.main(["softmax", "--output", str(tmp_path / "times.json")], OPS) == 2
    assert capsys.readouterr().err == "warpath: times need an NVIDIA GPU and a torch with CUDA\n"
    assert not (tmp_path / "times.json").exists()


def test_overhead(capsys):
    """A row for each call; what they take is not asked here."""
    assert _overhead.main(["--calls", "20", "--json"], OPS) == 0
    told = json.loads(capsys.readouterr().out)
    names = [row["name"] for row in told["rows"]]
    assert [n for n in names if "softmax_backward" not in n and "softmax" in n] == [
        "torch.ops.warpath.softmax",
        "warpath.softmax",
        "softmax by PyTorch",
    ]
    # Without a GPU calls have no elements, and a loss over no rows or attention without heads is refused.
    missing = [op for op in OPS if f"warpath.{op}" not in names]
    refusing = ("cross_entropy", "attention", "cache_write", "qk")
    assert all(any(word in op for word in refusing) for op in missing), missing
    assert not (missing and torch.cuda.is_available())
    assert (names[0] == "bare launch") == torch.cuda.is_available()
    assert all(row["median_us"] > 0 for row in told["rows"])
    assert _overhead.main(["vector_add", "--calls", "3"], OPS) == 0
    told = capsys.readouterr().out
    assert "vector_add by PyTorch" in told and "softmax" not in told
    with pytest.raises(SystemExit):
        _overhead.main(["nothing"], OPS)
    assert "there is no op 'nothing'" in capsys.readouterr().err


def test_rows_that_did_not_run_have_not_passed(capsys):
    table = warpath.compare("vector_add", case="prime", rows=["numpy", "TensorRT"])
    if not torch.cuda.is_available():
        assert not table["passed"].all() and list(table["ran"]) == [True, False]
        words = ["vector_add", "--case", "prime", "--row"]
        assert _compare.main([*words, "TensorRT"], OPS) == 2
        assert "0 passed, 0 failed, 1 did not run" in capsys.readouterr().out
        assert _compare.main([*words, "numpy"], OPS) == 0


def test_files(tmp_path, capsys):
    """Pictures by both ways, the data into a folder that is made; what cannot be written is said in a line."""
    table = warpath.compare("vector_add", case="prime", rows=["numpy"], plot=str(tmp_path))
    assert {Path(f).suffix for f in table.attrs["plots"]} == {".png", ".svg"}
    words = ["vector_add", "--case", "prime", "--row", "numpy", "--output"]
    file = tmp_path / "made" / "table.json"
    assert _compare.main([*words, str(file)], OPS) == 0
    assert json.loads(file.read_text())["rows"][0]["library"] == "numpy"
    capsys.readouterr()
    assert _compare.main([*words, str(file / "below")], OPS) == 2
    told = capsys.readouterr().err
    assert told.startswith("warpath: cannot write ") and told.count("\n") == 1
    for wrong, why in [([], "compare needs an op"), (["softmax", "--rwo", "x"], "--rwo x")]:
        with pytest.raises(SystemExit) as ended:
            _compare.main(wrong, OPS)
        told = capsys.readouterr().err
        assert ended.value.code == 2 and told.count("\n") == 1 and why in told, told
    assert _compare.main(["vector_ad"], OPS) == 2
    assert "no op 'vector_ad'; did you mean 'vector_add'?" in capsys.readouterr().err


def test_dtypes_may_be_torchs():
    table = warpath.compare("vector_add", case="prime", dtype=torch.float16, rows=["Warpath"])
    assert table["passed"].all()
    with pytest.raises(ValueError, match="case 'prime' is not for f64; it is for f32, f16, bf16"):
        warpath.compare("vector_add", case="prime", dtype=torch.float64)


@pytest.mark.skipif(
    torch.cuda.is_available(), reason="the interpreter is for machines without a GPU"
)
def test_other_libraries_are_silent():
    """numpy warns of NaN, a Vulkan driver of a missing folder: not in our table."""
    words = ["softmax", "--case", "special", "--row", "numpy", "--row", "Triton", "--row", "WebGPU"]
    command = [sys.executable, "-m", "warpath", "compare", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2) and done.stderr == ""  # 2: no driver here
    assert done.stdout.startswith("softmax, case 'special'")


@pytest.mark.skipif(
    torch.cuda.is_available(), reason="the interpreter is for machines without a GPU"
)
def test_after_torch_compile():
    """torch.compile imports Triton; its functions are then interpreted all the same."""
    program = (
        "import torch, triton.language, warpath\n"
        "torch.compile(lambda x: x + 1)(torch.zeros(3))\n"
        "table = warpath.compare('reduce', case='sum prime', rows=['Triton', 'torch.compile'])\n"
        "assert table['passed'].all(), table['note'].tolist()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "" and done.stderr == ""


def test_the_device_lock_holds_until_its_outermost_end(monkeypatch, tmp_path):
    """Another process gets it only then: closing an inner handle of the file would give a POSIX lock up."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    take = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    file = str(tmp_path / "warpath-gpu.lock")

    def is_free() -> bool:
        done = subprocess.run([sys.executable, "-c", take, file], capture_output=True, check=False)
        return done.returncode == 0

    with _timing.device_lock():
        with _timing.device_lock():
            pass
        assert not is_free()
    assert is_free()
