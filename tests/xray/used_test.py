"""Where the counts are used: `run --counts`, the structure that `grade` tells, the "slow here" of `watch`; `profile` without ncu.

used_test.py WARPATH ROOT
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def run(*words, cwd, wanted=0):
    done = subprocess.run(words, capture_output=True, text=True, cwd=cwd, check=False)
    assert done.returncode == wanted, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


def check_run(warpath, root):
    told = json.loads(run(warpath, "run", "vector_add", "--rung", "01", "--rung", "03", "--backend", "simt", "--counts", "--json", cwd=root))  # fmt: skip
    counts = told["ops"][0]["counts"]
    assert list(counts) == ["01_naive", "03_vector"], counts
    naive, vector = counts["01_naive"], counts["03_vector"]
    for c in (naive, vector):
        assert c["bytes_moved"] == c["bytes_least"] > 0, c
        assert c["bank_conflicts"] == c["barriers"] == 0, c
    assert naive["sectors_per_request"] == 4 and vector["sectors_per_request"] == 16, counts
    assert naive["waste"] == "narrow accesses", naive
    # Unasked, those that are kept: the same, at once. A kernel of one's own is counted beside them.
    words = (warpath, "run", "vector_add", "--backend", "simt")
    with tempfile.TemporaryDirectory() as folder:
        mine = Path(folder) / "mine.cu"
        mine.write_text((root / "ops/elementwise/vector_add/03_vector.cu").read_text())
        told = json.loads(run(*words, str(mine), "--json", cwd=root))["ops"][0]["counts"]
    assert list(told) == ["01_naive", "02_grid_stride", "03_vector", "mine.cu"], told
    for rung, live in counts.items():
        assert told[rung].pop("kept", False), f"run tests/xray/counts.py: {told[rung]}"
        assert told[rung] == live, (told[rung], live)
    assert "kept" not in told["mine.cu"] and "source" not in told["mine.cu"], told["mine.cu"]
    assert told["mine.cu"]["bytes_moved"] == vector["bytes_moved"], told
    assert "counts" not in json.loads(run(*words, "--no-counts", "--json", cwd=root))["ops"][0]
    said = run(*words, cwd=root)
    assert "3 of 3 as cli/counts.json has them" in said and "left out" not in said, said


def check_first_command(warpath, root):
    """A large ladder: the counts of every rung, and checks for the time that is left."""
    begin = time.monotonic()
    words = ("run", "matmul", "--backend", "simt", "--count-seconds", "3", "--json")
    op = json.loads(run(warpath, *words, cwd=root))["ops"][0]
    took = time.monotonic() - begin
    assert took < 8, f"{took} s"
    # Those whose source has changed since cli/counts.json was written are counted now, or left out.
    told = {
        rung: c.get("kept") or c.get("left_out") or c["bytes_moved"] > 0
        for rung, c in op["counts"].items()
    }
    assert len(told) >= 20 and all(told.values()), op["counts"]
    assert op["cases_left_out"] > 0 and all(r["passed"] > 0 for r in op["rungs"]), op["rungs"]


def check_time(warpath, root):
    """Checks and counts end when their time does, and say so; each rung has been checked all the same."""
    words = (warpath, "run", "vector_add", "--backend", "simt", "--counts", "--count-seconds")
    told = json.loads(run(*words, "0.02", "--json", cwd=root))
    op = told["ops"][0]
    counts = op["counts"]
    assert told["passed"] and len(counts) == 3, told
    assert op["cases_left_out"] > 0 and all(r["passed"] > 0 for r in op["rungs"]), op
    sizes = [r["shape"]["n"] for r in op["records"]]  # one for all rungs, then the smallest first
    assert sizes[0] == 1 and sizes[3:] == sorted(sizes[3:]), sizes
    for rung, c in counts.items():
        assert c["left_out"] and f"./warpath xray vector_add/{rung}" in c["error"], c
    said = run(*words, "0.02", cwd=root)
    assert "left out: 3 of 3 rungs" in said and "--count-seconds" in said, said
    assert "for want of time; ./warpath check vector_add has all" in said, said
    # No case of matmul is for all of its rungs: some take f32 alone, some 16 bits alone.
    told = json.loads(run(warpath, "run", "matmul", "--backend", "simt", "--counts", "--count-seconds", "0.02", "--json", cwd=root))  # fmt: skip
    op = told["ops"][0]
    assert told["passed"] and len(op["rungs"]) >= 20 and op["cases_left_out"] > 40, op["rungs"]
    assert all(r["passed"] > 0 for r in op["rungs"]), op["rungs"]


TILES = """__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < cols && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  if (x < rows && y < cols) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
"""


def check_left(warpath, root):
    """A kernel with little waste says what the counts leave open; a rung names the next one, a kernel of one's own none."""
    told = json.loads(run(warpath, "xray", "transpose/04", "--no-registers", "--json", cwd=root))
    assert "No count shows that" in told["left"] and not told["waste"], told["left"]
    assert told["next"]["rung"] == "05_sheared" and len(told["next"]["says"]) > 20, told["next"]
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "01_mine.cu"
        own.write_text((root / "ops/layout/transpose/02_shared.cu").read_text())
        (Path(folder) / "02_mine.cu").write_text("// Another one.\n")
        told = json.loads(run(warpath, "xray", own, "--op", "transpose", "--no-registers", "--json", cwd=root))  # fmt: skip
        # A plain kernel for tiles of 32 by 32, in blocks of 16 by 16.
        plain = Path(folder) / "tiles.cu"
        plain.write_text(TILES)
        said = run(warpath, "xray", plain, "--op", "transpose", "--no-registers", cwd=root)
    assert "next" not in told and not told["left"], (told.get("next"), told["left"])
    assert "tiles.cu: transpose(in = x, out = y, rows, cols) as transpose, <<<enough" in said, said
    assert "in this launch it does not do the whole work" in said, said
    # A case of an op that is not the first one of its folder.
    told = json.loads(run(warpath, "xray", "segment_sum_by_id/01", "--case", "64Mi in 1000", "--no-registers", "--json", cwd=root))  # fmt: skip
    assert told["case"] == "case '64Mi in 1000' in f32", told["case"]


def check_cases(warpath, root):
    """A timed case with odd sizes is counted when it is asked for; what cannot be counted is refused with the reason."""
    words = (warpath, "xray", "instance_norm/05", "--dtype", "bf16", "--no-registers", "--json")
    told = json.loads(run(*words, "--case", "32x256x55x55", cwd=root))
    assert told["case"] == "case '32x256x55x55' in bf16" and "3025" in told["shape"], told["case"]
    for case, why in (
        ("32x64x64x256", "takes groups that are one run"),
        ("64x64x64x64", "no case '64x64x64x64' of instance_norm; there are: empty, one"),
    ):
        done = subprocess.run([*words, "--case", case], capture_output=True, text=True, cwd=root, check=False)  # fmt: skip
        assert done.returncode == 2 and why in done.stderr, done.stdout + done.stderr
    # Tensor cores make the products there; what is left are the exponentials of short rows.
    words = (warpath, "xray", "linear_cross_entropy/04", "--no-registers", "--json")
    said = [w["sentence"] for w in json.loads(run(*words, cwd=root))["waste"] if w["kind"] == "arithmetic"]  # fmt: skip
    assert said and not any("Products" in s for s in said), said


def check_multicast(warpath, root):
    """Two blocks share a tile of b: memory is read once for both. A rung is built for the type of its case alone."""
    moved = {}
    for rung in ("15", "16"):
        told = json.loads(run(warpath, "xray", f"matmul/{rung}", "--no-registers", "--json", cwd=root))  # fmt: skip
        moved[rung] = told["key"]["bytes_moved"] / told["key"]["bytes_least"]
        assert "in f32" in told["case"], told["case"]
    assert moved == {"15": 1.25, "16": 1.0}, moved


def check_roof(warpath, root):
    """Products on tensor cores are under their roof, everything else under that of fp32."""
    for words, of, ridge in (
        (("matmul/09", "--dtype", "f16"), "tensor cores", 206.25),
        (("matmul/10", "--dtype", "bf16", "--gpu", "A100"), "tensor cores", 153.0),
        (("matmul/04", "--dtype", "f32"), "fp32", 13.96),
        (("matmul/15", "--dtype", "f32"), "tensor cores", 103.1),  # as tf32
        (("matmul/03", "--dtype", "f16"), "fp32", 13.96),
        (("softmax/03", "--dtype", "f16"), "fp32", 13.96),
        (("relu/01", "--dtype", "f16"), "fp32", 13.96),
    ):
        roof = json.loads(run(warpath, "xray", *words, "--no-registers", "--json", cwd=root))["roof"]  # fmt: skip
        assert roof["of"] == of and abs(roof["ridge"] - ridge) < 0.1, (words, roof)
        side = "memory" if roof["flops_per_byte"] < roof["ridge"] else "arithmetic"
        assert roof["bound_by"] == side, (words, roof)
    said = run(warpath, "xray", "matmul/09", "--dtype", "f16", "--no-registers", cwd=root)
    assert "(the ridge of its tensor cores is at 206)" in said, said
    said = run(warpath, "xray", "softmax/03", "--no-registers", cwd=root)
    assert "bound by memory (the ridge of fp32 is at 14)" in said, said


def check_grade(warpath, root):
    """A kernel that is right, but whose neighbouring threads are 8 elements apart."""
    text = (root / "ops/elementwise/vector_add/01_naive.cu").read_text()
    index = "std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;"
    assert index in text
    text = text.replace(index, index[:-1] + " % 32 * 8 + threadIdx.x / 32;")
    with tempfile.TemporaryDirectory() as folder:
        mine = Path(folder) / "my/vector_add/01_naive.cu"
        mine.parent.mkdir(parents=True)
        mine.write_text(text)
        told = json.loads(run(warpath, "grade", "vector_add/01", str(mine), "--json", cwd=folder))
        grade = told["grades"][0]
        assert grade["passed"] and grade["points"] == grade["of"] == 100, grade
        structure = grade["parts"][-1]
        assert structure["what"] == "structure" and structure["of"] == 0, grade
        assert "32 sectors where 4 would do" in structure["note"], structure
        said = run(warpath, "watch", "vector_add/01", "--once", cwd=folder)
        assert "slow here: " in said and "32 sectors where 4 would do" in said, said


def check_profile(warpath):
    """Without ncu, `profile` names what to install and what does the same without a GPU; it keeps no file."""
    with tempfile.TemporaryDirectory() as folder:
        env = {k: v for k, v in os.environ.items() if k != "NCU"} | {"PATH": folder}
        for rung, why in (
            ("softmax/01_naive", ("profile needs ncu (Nsight Compute)", "nsight-compute", "./warpath xray")),
            ("softmax", ("profile: one rung",)),
        ):  # fmt: skip
            if rung != "softmax" and Path("/usr/local/cuda/bin/ncu").exists():
                continue
            done = subprocess.run([warpath, "profile", rung], capture_output=True, text=True, cwd=folder, env=env, check=False)  # fmt: skip
            assert done.returncode == 2 and not done.stdout, done.stdout + done.stderr
            for words in why:
                assert words in done.stderr, done.stderr
            assert not list(Path(folder).iterdir()), list(Path(folder).iterdir())


def main():
    warpath, root = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    check_run(warpath, root)
    check_first_command(warpath, root)
    check_time(warpath, root)
    check_left(warpath, root)
    check_cases(warpath, root)
    check_multicast(warpath, root)
    check_roof(warpath, root)
    check_grade(warpath, root)
    check_profile(warpath)


if __name__ == "__main__":
    main()
