"""Their own kernels: warpath.load, its errors, the checks, the cache, the magic."""

import ctypes
import re
import types

import numpy as np
import pytest
import torch
import warpath
from warpath import _build, _magic

pytestmark = pytest.mark.skipif(torch.cuda.is_available(), reason="test_cuda.py has the GPU's")

SOURCE = """
#include <cuda_fp16.h>
#include "by.h"
struct Pair { float a; int b; };

__global__ void vec_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i] + BY;
}
__global__ void values(double* out, bool flag, unsigned char small, long long big, __half half,
                       Pair pair, float2 two) {
  out[0] = flag; out[1] = small; out[2] = big; out[3] = __half2float(half);
  out[4] = pair.a; out[5] = pair.b; out[6] = two.x; out[7] = two.y;
}
__global__ void where(int* out, const void* nothing) {
  extern __shared__ int slots[];
  slots[threadIdx.x] = threadIdx.x + 10 * threadIdx.y + 100 * blockIdx.x + 1000 * blockIdx.y;
  out[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * (blockIdx.x + gridDim.x * blockIdx.y))]
      = slots[threadIdx.x] + (nothing == nullptr ? 0 : 5);
}
__global__ void one_past(float* c, int n) {
  int i = threadIdx.x;
  if (i <= n) c[i] = 1;
}
__global__ void racy(int* total) { *total = *total + 1; }
__global__ void wild(float* c) { c[1ll << 44] = 1; }
__global__ void by_reference(const Pair& pair) {}
namespace deep {
template <class T, int N = 2>
__global__ void scale(T* __restrict__ x, T by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * by * T(N);
}
}  // namespace deep
int main() { vec_add<<<1, 1>>>(nullptr, nullptr, nullptr, 0); }
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "by.h").write_text("#define BY 0\n")
    (folder / "mine.cu").write_text(SOURCE)
    return folder / "mine.cu"


@pytest.fixture(scope="module")
def k(source):
    return warpath.load(source)


@pytest.fixture(scope="module")
def checked(source):
    return warpath.load(str(source), check=True)


def test_tensors_and_arrays(k):
    a, b, c = torch.randn(1000), torch.randn(1000), torch.zeros(1000)
    k.vec_add[4, 256](a, b, c, 1000)
    assert torch.equal(c, a + b)
    array = a.numpy().copy()
    k.vec_add[4, (256, 1)](array, b, array, np.int64(1000))  # two parameters, one memory
    np.testing.assert_array_equal(array, (a + b).numpy())
    both = torch.arange(20.0)
    k.vec_add[1, 5](both[:10], both[10:], both[5:15], 5)  # overlapping: one block, as on a GPU
    assert both[4:11].tolist() == [4, 10, 12, 14, 16, 18, 10]
    assert str(k.vec_add) == "<kernel vec_add(const float* a, const float* b, float* c, int n)>"
    assert "vec_add" in dir(k) and "deep::scale<class T, int N = 2>" in list(k)


def test_values(k):
    out = torch.zeros(8, dtype=torch.float64)
    k.values[1, 1](out, True, 200, -(2**40), 0.5, bytes(np.float32(2.5)) + b"\7\0\0\0", (1, -2.5))
    assert out.tolist() == [1, 200, -(2**40), 0.5, 2.5, 7, 1, -2.5]

    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_float), ("b", ctypes.c_int)]

    zero_dim = torch.tensor(3)
    k.values[1, 1](out, np.False_, zero_dim, 1, np.float16(2), Pair(1.5, 9), [0, 0])
    assert out.tolist() == [0, 3, 1, 2, 1.5, 9, 0, 0]


def test_shapes(k):
    out = torch.zeros(24, dtype=torch.int32)
    k.where[(2, 3), (2, 2), 8](out, None)
    assert out.view(3, 2, 2, 2)[2, 1].tolist() == [[2100, 2101], [2110, 2111]]
    k.where[(1,), 2, 1 << 17](out, out)  # more shared memory than without asking
    assert out[:2].tolist() == [5, 6]


def test_templates(k):
    x = torch.ones(5)
    k["deep::scale<float>"][1, 5](x, 1.5, 5)
    assert x.tolist() == [3] * 5
    halves = torch.ones(5, dtype=torch.float16)
    k["scale<__half,   4>"][1, 5](halves, 2, 4)
    assert halves.tolist() == [8, 8, 8, 8, 1]
    with pytest.raises(AttributeError, match="is a template: name its arguments"):
        _ = k.scale
    unknown = ": 'nonsense' is not declared in the file"
    for wrong, why in (("nonsense", unknown), ("float, 4, 4", "")):
        with pytest.raises(warpath.CompileError) as caught:
            _ = k[f"scale<{wrong}>"]
        assert re.fullmatch(
            rf"deep::scale<{wrong}> does not fit deep::scale<[^\n]*>{why}", str(caught.value)
        ), caught.value


A, B, C = torch.zeros(4), torch.zeros(4), torch.zeros(4)
REFUSED = {
    "count": (lambda k: k.vec_add[1, 4](A, B, C), r"vec_add\(.*\) takes 4 arguments, not 3"),
    "dtype": (
        lambda k: k.vec_add[1, 4](A, B.double(), C, 4),
        r"vec_add: argument 'b' is a tensor of float64, but 'const float\*' takes float32",
    ),
    "range": (lambda k: k.vec_add[1, 4](A, B, C, 2**31), "'n' is 2147483648, which 'int' cannot"),
    "float for int": (lambda k: k.vec_add[1, 4](A, B, C, 1.0), "argument 'n' is float 1.0"),
    "number for pointer": (lambda k: k.vec_add[1, 4](A, 7, C, 4), "argument 'b' is int 7"),
    "strides": (lambda k: k.vec_add[1, 4](A, B, torch.zeros(8)[::2], 4), "'c' is not contiguous"),
    "sparse": (
        lambda k: k.vec_add[1, 4](A.to_sparse(), B, C, 4),
        r"'a' is sparse_coo; pass \.to_dense\(\)",
    ),
    "launch without a name": (lambda k: k[1, 4], r'a kernel has a name, as in k\["name"\]'),
    "number for a name": (lambda k: k[3], r"k\[3\]: a kernel has a name"),
    "grad": (
        lambda k: k.vec_add[1, 4](A, B, torch.zeros(4, requires_grad=True), 4),
        "argument 'c' requires grad",
    ),
    "device": (lambda k: k.vec_add[1, 4](A.to("meta"), B, C, 4), "'a' is on meta"),
    "no shape": (
        lambda k: k.vec_add(A, B, C, 4),
        r"vec_add needs a grid and a block: vec_add\[grid, block\]",
    ),
    "half a shape": (lambda k: k.vec_add[1](A, B, C, 4), "vec_add needs a grid and a block"),
    "bad shape": (lambda k: k.vec_add[1, 2.5](A, B, C, 4), "the block is 2.5"),
    "struct": (lambda k: k.values[1, 1](A.double(), True, 1, 1, 1, b"1", (1, 1)), "has 1 bytes"),
    "reference": (lambda k: k.by_reference[1, 1](b""), "takes a reference"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(k, name):
    attempt, text = REFUSED[name]
    with pytest.raises(TypeError, match=text) as caught:
        attempt(k)
    assert "\n" not in str(caught.value)


def test_unknown(k, tmp_path):
    with pytest.raises(AttributeError, match="mine.cu has no kernel 'vecadd'; it has: vec_add"):
        _ = k.vecadd
    with pytest.raises(FileNotFoundError, match="there is no file"):
        warpath.load(tmp_path / "none.cu")
    with pytest.raises(ValueError, match="takes a .cu file, not test_load.py"):
        warpath.load(__file__)
    with pytest.raises(KeyError, match="vec_add.* is no template"):
        _ = k["vec_add<float>"]
    twice = "__global__ void f(float* c) {}\n__global__ void f(int* c) {}\n"
    with pytest.raises(AttributeError, match="twice.cu has 2 kernels 'f'; rename all except one"):
        _ = warpath.load_inline(twice, name="twice").f
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    k.vec_add[1, 4](array, array, C, 4)
    with pytest.raises(TypeError, match="argument 'c' is read-only"):
        k.vec_add[1, 4](A, B, array, 4)


def test_failures(k):
    """A launch that is refused, and a kernel that faults: exceptions, and the next launch works."""
    with pytest.raises(warpath.KernelError, match="vec_add: cudaErrorInvalidValue") as caught:
        k.vec_add[1, 2000](A, B, C, 4)
    assert caught.value.error == "cudaErrorInvalidValue"
    for shared in (1 << 30, 1 << 40):
        with pytest.raises(warpath.KernelError, match=f"{shared} bytes of dynamic shared memory"):
            k.vec_add[1, 4, shared](A, B, C, 4)
    long = torch.randn(1, 33000)  # with more shared memory than a kernel has unasked
    torch.testing.assert_close(warpath.softmax(long, rung="08"), torch.softmax(long, -1))
    with pytest.raises(warpath.KernelError, match="(?s)IllegalAddress.*kernel 'wild'.*mine.cu:26"):
        k.wild[1, 1](C)
    # The fault resets the device, which forgets what kernels were allowed.
    torch.testing.assert_close(warpath.softmax(long, rung="08"), torch.softmax(long, -1))
    ones = torch.ones(4)
    k.vec_add[1, 4](ones, ones, C, 4)
    assert C.tolist() == [2] * 4
    torch.testing.assert_close(warpath.softmax(ones), ones / 4)


def test_checks(checked, k, capfd):
    ones, c = torch.ones(4), torch.zeros(4)
    checked.vec_add[1, 32](ones, ones, c, 4)
    assert c.tolist() == [2] * 4
    for _ in range(2):  # found again, not only the first time
        with pytest.raises(warpath.KernelError) as caught:
            checked.one_past[1, 8](c, 4)
        text = str(caught.value)
        assert (
            "out of bounds: write of 4 bytes, right past the end of the 16-byte allocation" in text
        )
        assert "(c[4])" in text and "mine.cu:23: if (i <= n) c[i] = 1;" in text
        assert caught.value.findings[0]["kind"] == "out of bounds"
    with pytest.raises(
        warpath.KernelError, match="(?s)racy: .*finding.*by the checks.*race"
    ) as caught:
        checked.racy[2, 32](torch.zeros(1, dtype=torch.int32))
    assert caught.value.error == ""
    checked.vec_add[1, 4](ones, ones, c, 4)
    k.vec_add[1, 4](ones, ones, c, 4)
    torch.testing.assert_close(warpath.softmax(ones), ones / 4)
    a = torch.randn(40, 24)
    # A rung with asynchronous copies, of which the engine would tell the checks.
    torch.testing.assert_close(warpath.matmul(a, a.t(), rung="08"), a @ a.t(), rtol=1e-5, atol=1e-5)
    with pytest.raises(warpath.KernelError, match="out of bounds"):  # and they are back
        checked.one_past[1, 8](c, 4)
    assert capfd.readouterr().err == ""


def test_cache(source, monkeypatch):
    """Compiled again only when a text changed: the file's, or that of a header it includes."""
    commands = []
    real = _build.run
    monkeypatch.setattr(_build, "run", lambda c, *a: (commands.append(c), real(c, *a))[1])
    ones, c = torch.ones(4), torch.zeros(4)
    warpath.load(source).vec_add[1, 4](ones, ones, c, 4)
    assert not commands and c.tolist() == [2] * 4
    (source.parent / "by.h").write_text("#define BY 5\n")
    warpath.load(source).vec_add[1, 4](ones, ones, c, 4)
    assert len(commands) == 2 and c.tolist() == [7] * 4
    warpath.load(source)
    assert len(commands) == 2
    (source.parent / "by.h").write_text("#define BY 0\n")


def test_compile_error():
    with pytest.raises(warpath.CompileError) as caught:
        warpath.load_inline("__global__ void k(int* a) {\n  a[0] = lost;\n}\n")
    assert str(caught.value).startswith("cell.cu does not compile:\ncell.cu: In function")
    assert "cell.cu:2:10: error: ‘lost’ was not declared" in str(caught.value)


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "/no/such/compiler")
    with pytest.raises(RuntimeError, match="'/no/such/compiler' is not here: install it") as caught:
        warpath.load_inline("__global__ void nobody_compiled_this() {}\n")
    assert "\n" not in str(caught.value)


def test_magic():
    magics = {}

    def register(function, kind, name):
        magics[kind, name] = function

    shell = types.SimpleNamespace(user_ns={}, register_magic_function=register)
    warpath.load_ipython_extension(shell)
    cell = "__global__ void fill(int* a) { a[threadIdx.x] = VALUE; }\n"
    magics["cell", "cuda"]("-DVALUE=3", cell)
    x = torch.zeros(3, dtype=torch.int32)
    shell.user_ns["fill"][1, 3](x)
    assert x.tolist() == [3] * 3
    _magic.cuda("mine -DVALUE=3", cell, shell.user_ns)
    assert list(shell.user_ns["mine"]) == ["fill"]


def test_named_arguments(k):
    a, b, c = torch.randn(8), torch.randn(8), torch.zeros(8)
    k.vec_add[1, 8](a, b, n=8, c=c)
    assert torch.equal(c, a + b)
    for given, named, text in (
        ((a, b, c), {"m": 8}, "has no parameter 'm'"),
        ((a, b, c), {"a": a, "n": 8}, "'a' is given twice"),
        ((a, b), {"n": 8}, "'c' is not given"),
    ):
        with pytest.raises(TypeError, match=text) as caught:
            k.vec_add[1, 8](*given, **named)
        assert "\n" not in str(caught.value)


def test_file_without_kernels(tmp_path):
    (tmp_path / "empty.cu").write_text("int f() { return 1; }\n")
    with pytest.raises(ValueError, match="empty.cu has no kernel: no function in it is __global__"):
        warpath.load(tmp_path / "empty.cu")
