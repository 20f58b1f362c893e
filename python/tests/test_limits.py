"""Kernels that never end, launched from Python: the time limit, Ctrl-C, the line they were in, what works afterwards.
Those of ops are in probe_calls.py."""

import os
import subprocess
import sys
import threading
import time

import pytest
import torch
import warpath
from warpath import cpp_extension

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU's kernels have no limit")

SOURCE = """
__device__ int mine() { return blockIdx.x * blockDim.x + threadIdx.x; }
__global__ void fill(int* out, int value) { out[mine()] = value; }
__global__ void counts(int* out) {
  for (volatile int i = 0;; i = i + 1)
    out[mine()] = i;
}
__global__ void locks(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
}
__global__ void meets(int* out) {
  for (;;) {
    __syncthreads();
    out[mine()] += 1;
  }
}
"""


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "checked"])
def k(request):
    return warpath.load_inline(SOURCE, name="endless", check=request.param)


@pytest.fixture
def out():
    return torch.zeros(128, dtype=torch.int32)


@pytest.fixture
def limit():
    before = warpath.set_timeout(0.3)
    yield
    warpath.set_timeout(before)


def press_ctrl_c() -> subprocess.Popen:
    """From another process: a thread of this one would wait for the lock that an extension keeps while its kernel runs."""
    return subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -INT {os.getpid()}"])


def works(k, out) -> bool:
    warpath.set_timeout(60)
    k.fill[4, 32](out, 7)
    return bool(out.eq(7).all())


# Nobody gives the lock of `locks` back.
@pytest.mark.parametrize(
    ("kernel", "lines"), [("counts", (2, 5, 6)), ("locks", (9, 10)), ("meets", (2, 12, 13, 14, 15))]
)
def test_time_limit(k, out, limit, kernel, lines):
    with pytest.raises(warpath.KernelError) as caught:
        k[kernel][4, 32](out)
    text = str(caught.value)
    assert caught.value.error == "cudaErrorLaunchTimeout"
    assert f"kernel '{kernel}' was stopped: it ran longer than 0.3 s" in text
    assert any(f"endless.cu:{line}" in text for line in lines), text
    assert "warpath.set_timeout(SECONDS)" in text
    assert works(k, out)


def test_kernels_that_launch_each_other(tmp_path):
    """Their time is that of the first. In a process of its own: beside checked kernels each would run inside the one
    that launched it."""
    source = tmp_path / "endless.cu"
    source.write_text("__global__ void launches(int* n) { *n += 1; launches<<<1, 1>>>(n); }\n")
    script = f"""
import time, torch, warpath
k = warpath.load({str(source)!r}, options=["-rdc=true"])
warpath.set_timeout(0.3)
begin = time.monotonic()
try:
    k.launches[1, 1](torch.zeros(1, dtype=torch.int32))
except warpath.KernelError as error:
    print(error)
print(f"{{time.monotonic() - begin:.1f}} s")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert "kernel 'launches' was stopped: it ran longer than 0.3 s" in done.stdout
    assert float(done.stdout.split()[-2]) < 10


@pytest.mark.parametrize("seconds", [None, 60])
def test_ctrl_c(k, out, seconds):
    before = warpath.set_timeout(seconds)
    try:
        begin, timer = time.monotonic(), press_ctrl_c()
        with pytest.raises(KeyboardInterrupt) as caught:
            k.counts[4, 32](out)
        assert time.monotonic() - begin < 10
        timer.wait()
        assert "kernel 'counts' was stopped by Ctrl-C" in str(caught.value)
        assert "endless.cu:" in str(caught.value)
        assert works(k, out)
    finally:
        warpath.set_timeout(before)


def test_ctrl_c_in_another_thread(out):
    """Threads have no KeyboardInterrupt: their kernels go on, to their time."""
    k = warpath.load_inline(SOURCE, name="endless")
    before, told = warpath.set_timeout(1.5), []

    def work():
        try:
            k.counts[1, 32](out)
        except warpath.KernelError as error:
            told.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            press_ctrl_c()
            time.sleep(60)
        thread.join(60)
        assert len(told) == 1 and "longer than 1.5 s" in told[0]
    finally:
        warpath.set_timeout(before)


def test_extension(limit):
    text = SOURCE + "void run(torch::Tensor x) { counts<<<1, 32>>>(x.data_ptr<int>()); }\n"
    text += "void end(torch::Tensor x) { fill<<<4, 32>>>(x.data_ptr<int>(), 3); }\n"
    module = cpp_extension.load_inline("endless_extension", "", text, functions=["run", "end"])
    out = torch.zeros(128, dtype=torch.int32)
    with pytest.raises(warpath.KernelError, match=r"(?s)longer than 0.3 s.*\.cu:\d+.*set_timeout"):
        module.run(out)
    warpath.set_timeout(60)
    timer = press_ctrl_c()
    with pytest.raises(KeyboardInterrupt, match=r"(?s)stopped by Ctrl-C.*\.cu:\d+"):
        module.run(out)
    timer.wait()
    module.end(out)
    assert out.eq(3).all()
    # A checked kernel after it is not blamed for what it did.
    checked = warpath.load_inline(SOURCE, name="endless", check=True)
    assert works(checked, out)


def test_what_it_takes():
    before = warpath.set_timeout(2.5)
    assert warpath.set_timeout(0) == 2.5
    assert warpath.set_timeout(before) is None
    for wrong, error in (("1", TypeError), (True, TypeError), (-1, ValueError)):
        with pytest.raises(error, match="warpath.set_timeout takes"):
            warpath.set_timeout(wrong)
    with pytest.raises(ValueError, match="not nan"):
        warpath.set_timeout(float("nan"))


def test_environment():
    """The default is said by the error; SIMT_TIMEOUT changes it."""
    script = "import warpath; print(warpath.set_timeout(1))"
    for environment, told in (({}, "300.0"), ({"SIMT_TIMEOUT": "12"}, "12.0")):
        clean = {n: v for n, v in os.environ.items() if n != "SIMT_TIMEOUT"} | environment
        done = subprocess.run(
            [sys.executable, "-c", script], env=clean, capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == told
