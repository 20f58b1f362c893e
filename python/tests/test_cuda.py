"""The ops on a GPU: every rung, the current stream, graphs, two devices in one call."""

import numpy as np
import pytest
import torch
import warpath
from conftest import OPS, assert_right, call, dtypes, inputs
from warpath import _build

pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or not warpath.rungs("softmax", "cuda"),
    reason="needs a GPU, torch with CUDA and libraries built by nvcc",
)

EVERY = [
    pytest.param(op, dtype, rung, id=f"{op.name}-{dtype}-{rung}")
    for op in OPS.values()
    for dtype in dtypes(op)
    for rung in warpath.rungs(op.name, "cuda")
]


@pytest.mark.parametrize(("op", "dtype", "rung"), EVERY)
def test_rung(op, dtype, rung):
    tensors = inputs(op, dtype, cols=64)
    try:
        got = call(op, [t.cuda() for t in tensors], rung=rung)
    except RuntimeError as refusal:
        assert f"rung '{rung}' cannot take this call: " in str(refusal)
        pytest.skip(str(refusal))
    got = got.cpu() if isinstance(got, torch.Tensor) else tuple(t.cpu() for t in got)
    assert_right(op, tensors, got)


def test_stream():
    """A call goes to the current stream, behind what is there, and does not wait for it."""
    x = torch.zeros(1 << 20, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    warpath.vector_add(x, x)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)
        x.fill_(2)
        y = warpath.vector_add(x, x)
        assert not stream.query()
    stream.synchronize()
    assert torch.all(y == 4)


@pytest.mark.parametrize("rung", warpath.rungs("softmax", "cuda"))
def test_graph(rung):
    x = torch.randn(64, 1024, device="cuda")
    warpath.softmax(x, rung=rung)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = warpath.softmax(x, rung=rung)
    for _ in range(3):
        x.copy_(torch.randn_like(x))
        graph.replay()
        torch.testing.assert_close(y, torch.softmax(x, -1))


def test_gradient():
    x = torch.randn(64, 1000, device="cuda", requires_grad=True)
    weight = torch.randn_like(x)
    (warpath.softmax(x) * weight).sum().backward()
    twin = x.detach().double().requires_grad_()
    (torch.softmax(twin, -1) * weight.double()).sum().backward()
    torch.testing.assert_close(x.grad, twin.grad.float(), rtol=1e-4, atol=1e-6)


def test_embedding_gradient_is_the_same_in_every_run():
    """Frequent ids and rare ones: the sum of a row has one order."""
    ids = (torch.rand(64, 1024, device="cuda") ** 3 * 5000).long()
    dy = torch.randn(64, 1024, 96, device="cuda")
    table = torch.empty(5000, 96, device="cuda")
    first = warpath.embedding_backward(dy, ids, table)
    for _ in range(5):
        assert torch.equal(warpath.embedding_backward(dy, ids, table), first)
    sums = torch.zeros(5000, 96, dtype=torch.float64, device="cuda")
    sums.index_add_(0, ids.flatten(), dy.flatten(0, 1).double())
    torch.testing.assert_close(first.double(), sums, rtol=1e-5, atol=1e-4)


def test_adamw():
    """More tensors than one table holds, clipped, against torch's own step; and no wait on the host."""
    import warpath.optim

    sizes = [7 * i % 5000 for i in range(200)]
    ours, theirs = (
        [torch.nn.Parameter(torch.linspace(-1, 1, n, device="cuda")) for n in sizes]
        for _ in range(2)
    )
    by_us = warpath.optim.AdamW(ours, lr=0.01, clip_grad_norm=0.5)
    by_them = torch.optim.AdamW(theirs, lr=0.01)
    for step in range(4):
        torch.manual_seed(step)
        for a, b in zip(ours, theirs, strict=True):
            a.grad = torch.randn_like(a)
            b.grad = a.grad.clone()
        torch.nn.utils.clip_grad_norm_(theirs, 0.5)
        by_them.step()
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("error")
        try:
            by_us.step()
        finally:
            torch.cuda.set_sync_debug_mode("default")
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_two_devices():
    x = torch.randn(4, 4)
    with pytest.raises(RuntimeError, match="'b' is not on the device of 'a'"):
        warpath.vector_add(x.cuda(), x)
    with pytest.raises(RuntimeError, match="'b' is not on the device of 'a'"):
        warpath.vector_add(x, x.cuda())


def test_autocast():
    x = torch.randn(8, 8, device="cuda")
    with torch.autocast("cuda", torch.float16):
        assert warpath.vector_add(x, x.half()).dtype == torch.float32


LOADED = """
__global__ void vec_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
template <class T, int N>
__global__ void scale(T* x, T by) { x[threadIdx.x] *= by * T(N); }
"""


@pytest.mark.skipif(_build.nvcc() is None, reason="needs nvcc")
def test_load(tmp_path):
    """Their own kernels by nvcc: tensors, arrays, a stream, a template, and what is refused."""
    (tmp_path / "mine.cu").write_text(LOADED)
    k = warpath.load(tmp_path / "mine.cu")
    a, b, c = (torch.randn(1000, device="cuda") for _ in range(3))
    k.vec_add[4, 256](a, b, c, 1000)
    assert torch.equal(c, a + b)
    array = np.zeros(1000, np.float32)
    k.vec_add[4, 256](a.cpu().numpy(), b.cpu().numpy(), array, 1000)
    np.testing.assert_array_equal(array, c.cpu().numpy())
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    k["scale<float, 3>"][1, 1000, 0, stream](c, 2.0)
    stream.synchronize()
    torch.testing.assert_close(c, 6 * (a + b))
    with pytest.raises(TypeError, match="'b' is on the CPU, but the kernel runs on the GPU"):
        k.vec_add[4, 256](a, b.cpu(), c, 1000)
    with pytest.raises(warpath.KernelError, match="vec_add: cudaErrorInvalid"):
        k.vec_add[1, 2000](a, b, c, 1000)
    k.vec_add[4, 256](a, b, c, 1000)  # a refusal is not sticky
    torch.cuda.synchronize()
    with pytest.raises(warpath.CompileError, match="lost"):
        warpath.load_inline("__global__ void k(int* a) { a[0] = lost; }")
    checked = warpath.load(tmp_path / "mine.cu", check=True)
    with pytest.raises(warpath.KernelError, match="out of bounds"):
        checked.vec_add[4, 256](a.cpu(), b.cpu(), torch.zeros(999), 1000)
