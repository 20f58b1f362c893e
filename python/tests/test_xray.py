"""warpath.load(..., xray=True) and warpath.xray: in processes of their own, since other tests load the checks."""

import json
import subprocess
import sys

import pytest
import torch

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="counted on a CPU")

SOURCE = """
__global__ void columns(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i % n * n + i / n];
}
"""

PROGRAM = """
import json, sys
import torch, warpath
from pathlib import Path
k = warpath.load(sys.argv[1], xray=True)
n = 64
x = torch.arange(float(n * n)).view(n, n)
y = torch.zeros(n, n)
k.columns[n * n // 256, 256](x, y, n)
assert torch.equal(y, x.t())
counts = k.xray_counts()
assert k.xray_counts()["launches"] == []
told = warpath.xray(counts)
errors = []
for call in (lambda: warpath.load(sys.argv[1], check=True), lambda: warpath.xray("softmax/99"),
             lambda: warpath.load(sys.argv[1], xray=True, check=True), lambda: warpath.xray(k.xray_counts()), lambda: warpath.load(sys.argv[1]).xray_counts()):
    try:
        call()
        errors.append("")
    except (RuntimeError, ValueError) as error:
        errors.append(str(error))
print(json.dumps({"counts": counts, "told": told, "errors": errors, "files": [p.name for p in Path.cwd().iterdir()]}))
"""


def test_counts_of_a_file(tmp_path):
    (tmp_path / "columns.cu").write_text(SOURCE)
    (tmp_path / "work").mkdir()
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "columns.cu")]
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=tmp_path / "work"
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (launch,) = told["counts"]["launches"]
    assert launch["kernel"] == "columns" and launch["grid"] == [16, 1, 1]
    load, store = sorted(launch["accesses"], key=lambda a: a["kind"])
    assert (load["requests"], load["sectors"], load["stride"]) == (128, 4096, 256)
    assert (store["requests"], store["sectors"]) == (128, 512)
    waste = told["told"]["waste"][0]
    assert waste["kind"] == "coalescing" and waste["line"] == 4
    assert "32 sectors where 4 would do" in waste["sentence"]
    needs_own_process, no_rung, two_runs, no_launch, not_counted = told["errors"]
    assert "the counts are of no launch" in no_launch
    assert "needs one of its own" in needs_own_process
    assert "99" in no_rung and "two runs" in two_runs and "xray=True" in not_counted
    assert told["files"] == []  # no xray.json when Python asks
