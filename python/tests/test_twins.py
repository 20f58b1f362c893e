"""The Triton twins on the op's own cases, judged as the rungs are: by Triton's interpreter on a CPU."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import ALL_OPS, OPS, as_tuple, dtypes
from warpath import _cases, _folders, _twins, _webgpu

# On a CPU cases with more elements take seconds each and are left out, and each case is run in one type, another from case
# to case (every type has a first case). A GPU runs them all.
GPU = torch.cuda.is_available()
MOST = 1 << 62 if GPU else 300_000


def work(case) -> int:
    """At most so many multiplications: of all its dimensions, as in a product of matrices."""
    return math.prod(case.dims.values()) if len(case.dims) > 2 else 0


def _twin(op):
    try:
        return _twins.find(op)
    except _twins.Missing as why:
        pytest.skip(str(why))


EVERY = [
    pytest.param(op, dtype, id=f"{op.name}-{dtype}")
    for op in ALL_OPS.values()
    for dtype in dtypes(op)
]


@pytest.mark.parametrize(("op", "dtype"), EVERY)
def test_twin(op, dtype):
    twin = _twin(op)
    most = MOST if GPU else min(MOST, twin.__globals__.get("INTERPRETED_ELEMENTS", MOST))
    checked = 0
    for turn, case in enumerate(_cases.cases(op)):
        if case.bench or case.elements > most or work(case) > 300 * MOST:
            continue
        if dtype not in case.dtypes:
            continue
        if not GPU and checked > 0 and case.dtypes[turn % len(case.dtypes)] != dtype:
            continue
        case_data = _cases.CaseData(case, dtype)
        arguments = list(case_data.arguments(_twins.device()))
        result = twin(*arguments, **case_data.scalars)
        if not op.functional:
            result = case_data.changed(arguments, () if result is None else as_tuple(result))
        verdict = case_data.judge(result)
        assert verdict.passed, f"{op.name}, case '{case.name}', {dtype}: {verdict.reason}"
        checked += 1
    assert checked > 0


@pytest.mark.parametrize("name", ["dropout", "dropout_backward", "add_norm", "add_norm_backward"])
def test_wgsl_twin(name):
    """The WebGPU twin on all cases in f32; WGSL promises nothing about infinity and NaN."""
    pytest.importorskip("wgpu")
    op = OPS[name]
    text = _folders.file(op, f"{op.folder}.wgsl").read_text()
    checked = 0
    for case in _cases.cases(op):
        if case.bench or "f32" not in case.dtypes or "special" in case.name:
            continue
        case_data = _cases.CaseData(case, "f32")
        verdict = case_data.judge(_webgpu.prepare(op, case_data, text)())
        assert verdict.passed, f"{name}, case '{case.name}': {verdict.reason}"
        checked += 1
    assert checked > 10


def test_judge_is_not_fooled():
    """Nearly right is wrong: the cases bite here as they do for the rungs."""
    op = OPS["softmax"]
    case = next(c for c in _cases.cases(op) if c.name == "prime")
    case_data = _cases.CaseData(case, "f32")
    (x,) = case_data.arguments()
    right = torch.softmax(x.double(), -1).float()
    assert case_data.judge(right).passed
    wrong = right.clone()
    wrong[3, 7] *= 1.0001
    verdict = case_data.judge(wrong)
    assert not verdict.passed and verdict.reason.startswith("y[3,7] is ")
    wrong[3, 7] = float("nan")
    assert not case_data.judge(wrong).passed
    assert "not [17, 257]" in case_data.judge(right[:3]).reason
    assert "of torch.float16" in case_data.judge(right.half()).reason


def test_odd_arguments():
    op = OPS.get("softmax")
    twin = _twin(op)
    x = torch.randn(3, 2, 70, device=_twins.device()).transpose(0, 2)
    torch.testing.assert_close(twin(x), torch.softmax(x, -1))


@pytest.mark.skipif(torch.cuda.is_available(), reason="there they are compiled and run")
def test_compile_for_hopper():
    """What the interpreter runs the compiler takes too, and finds the tensor cores for."""
    pytest.importorskip("triton")
    words = ["attention", "causal", "bf16", "attention_backward", "varlen, window and dropout", "bf16"]  # fmt: skip
    command = [sys.executable, str(Path(__file__).with_name("compile_twins.py")), *words]
    environment = os.environ | {"TRITON_INTERPRET": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    counts = dict(line.removesuffix(" wgmma").split(": ") for line in done.stdout.splitlines())
    assert counts.pop("delta_kernel") == "0" and len(counts) == 3
    assert all(int(n) > 0 for n in counts.values()), counts
