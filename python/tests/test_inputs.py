"""Odd inputs: the right answer, or an error that names the argument."""

import pytest
import torch
import warpath
from conftest import OPS, assert_right, call, inputs


@pytest.mark.parametrize("op", OPS.values(), ids=list(OPS))
def test_layouts(op):
    """Non-contiguous, expanded, shifted and huge-stride tensors give what contiguous ones give."""
    tensors = inputs(op, "f32")
    wanted = call(op, tensors)
    wide = [torch.stack([t, ~t if t.dtype == torch.bool else t + 1], -1)[..., 0] for t in tensors]
    turned = [t.transpose(0, -1).contiguous().transpose(0, -1) for t in tensors]
    shifted = [torch.cat([t.new_zeros(1), t.flatten()])[1:].view(t.shape) for t in tensors]
    for variant in (wide, turned, shifted):
        torch.testing.assert_close(call(op, variant), wanted)
    # What an op writes to cannot be one element many times.
    same = [
        t if a.mutated else t[..., :1].expand(t.shape)
        for a, t in zip(op.tensors, tensors, strict=True)
    ]
    assert same[0].stride(-1) == 0
    assert_right(op, same, call(op, same))


def test_huge_stride():
    x = torch.randn(64)
    far = x.as_strided((1, 64), (2**40, 1))
    torch.testing.assert_close(warpath.softmax(far), torch.softmax(far, -1))
    assert warpath.transpose(far).shape == (64, 1)


def test_leading_axes():
    x = torch.randn(2, 1, 3, 1, 2, 1, 2, 40)  # more axes than a launcher knows
    torch.testing.assert_close(warpath.softmax(x), torch.softmax(x, -1))
    row = x[0, 0, 0, 0, 0, 0, 0]
    torch.testing.assert_close(warpath.softmax(row), torch.softmax(row, -1))
    assert warpath.reduce(row).shape == ()


def test_any_axis():
    """The sum, the norm and the largest along each axis of a tensor: the axis is moved to the end, without a copy or with one."""
    x, y = torch.randn(2, 6, 70, 40)
    for axis in range(3):
        a, b = x.movedim(axis, -1), y.movedim(axis, -1)
        torch.testing.assert_close(warpath.dot(a, b), (x * y).sum(axis), rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(warpath.norm(a), torch.linalg.vector_norm(x, 2, axis))
        assert torch.equal(warpath.argmax(a), x.argmax(axis))


def test_empty():
    assert warpath.softmax(torch.empty(0, 7)).shape == (0, 7)
    assert warpath.softmax(torch.empty(3, 0)).shape == (3, 0)
    assert warpath.transpose(torch.empty(0, 4)).shape == (4, 0)
    assert warpath.vector_add(torch.empty(0), torch.empty(0)).shape == (0,)
    assert warpath.reduce(torch.empty(0, 5)).shape == (0,)


def test_empty_axis():
    """As torch has it: the sum of none is 0, and a maximum of none is an error."""
    for dtype in (torch.float32, torch.bfloat16, torch.int32):
        y = warpath.reduce(torch.empty(3, 0, dtype=dtype))
        assert y.dtype == dtype and y.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="the result 'y' of no elements is not defined"):
        warpath.reduce(torch.empty(3, 0), kind="max")
    with pytest.raises(RuntimeError, match="no rung takes a tensor without elements"):
        warpath.reduce(torch.empty(3, 0), rung="01")
    none = torch.empty(3, 0, requires_grad=True)
    warpath.reduce(none).sum().backward()
    assert none.grad.shape == (3, 0)
    a, b, bias = torch.empty(3, 0), torch.empty(0, 2), torch.tensor([1.0, 2.0])
    assert warpath.matmul(a, b, None, bias).tolist() == [[1, 2]] * 3
    with pytest.raises(RuntimeError, match="'logits' has no elements, but the result has some"):
        warpath.cross_entropy(torch.empty(2, 0), torch.zeros(2, dtype=torch.int64))


def test_left_out():
    """An optional output has no elements where the input that sizes it is left out."""
    keys = torch.tensor([[3, 1, 2], [6, 5, 4]], dtype=torch.int32)
    ordered, none = warpath.radix_sort(keys)
    assert ordered.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert none.shape == (0,) and none.dtype == torch.int32
    ordered, places = warpath.radix_sort(keys, torch.arange(6, dtype=torch.int32).view(2, 3))
    assert places.tolist() == [[1, 2, 0], [5, 4, 3]]
    for shape, dtype in (((4, 2, 5), torch.bfloat16), ((7,), torch.uint8), ((0,), torch.float32)):
        made = warpath.radix_sort(torch.empty(shape, dtype=dtype, device="meta"))
        assert [t.shape for t in made] == [shape, (0,)]
        assert [t.dtype for t in made] == [dtype, torch.int32]
    compiled = torch.compile(lambda k: warpath.radix_sort(k)[0], backend="eager", fullgraph=True)
    assert torch.equal(compiled(keys), ordered)


def test_select_of_nothing():
    """Its count has an element even then, and y, which is changed in place, has none."""
    for flags in (None, torch.empty(0, dtype=torch.bool)):
        count = warpath.select(torch.empty(0), torch.empty(0), flags)
        assert count.tolist() == [0] and count.dtype == torch.int64
    assert warpath.select(torch.empty(0), torch.empty(0), test="unique").tolist() == [0]
    with pytest.raises(RuntimeError, match="the test 'flags' needs the argument 'flags'"):
        warpath.select(torch.ones(2), torch.empty(2))


def test_integers_that_overflow():
    big = torch.full((2, 2), 2**30, dtype=torch.int32)
    big[0] = torch.tensor([2**31 - 2, 1])
    assert warpath.reduce(big[:1]).tolist() == [2**31 - 1]
    with pytest.raises(RuntimeError, match="the result 'y' has 2147483648, which i32 cannot hold"):
        warpath.reduce(big)
    assert warpath.reduce(-big[1:]).tolist() == [-(2**31)]


def test_zero_dim():
    one = torch.tensor(1.5)
    assert warpath.vector_add(one, one).item() == 3
    with pytest.raises(RuntimeError, match="argument 'x' has 0 axes; it needs at least 1"):
        warpath.softmax(one)
    with pytest.raises(RuntimeError, match="argument 'x' has 0 axes; it needs 2"):
        warpath.transpose(one)


F32, F16 = torch.randn(4, 6), torch.randn(4, 6).half()
BAD = {
    "wrong dtype": (lambda d: warpath.softmax(F32.int().to(d)), "'x' is i32; allowed: f32"),
    "unknown dtype": (
        lambda d: warpath.softmax(F32.to(torch.complex64).to(d)),
        "'x' is complex64; allowed: f32",
    ),
    "two dtypes": (lambda d: warpath.vector_add(F32.to(d), F16.to(d)), "'b' is f16 but 'a' is f32"),
    "rank": (lambda d: warpath.transpose(F32[None].to(d)), "'x' has 3 axes; it needs 2"),
    "columns": (
        lambda d: warpath.softmax_backward(F32.to(d), F32[:, :5].to(d)),
        r"'dy' has cols = \(5,\), but 'y' has \(6,\)",
    ),
    "leading axes": (
        lambda d: warpath.softmax_backward(F32.to(d), F32[None].to(d)),
        r"'dy' has rows = \(1, 4\), but 'y' has \(4,\)",
    ),
}


@pytest.mark.parametrize("device", ["cpu", "meta"])  # the kernel, and the shape function
@pytest.mark.parametrize("name", BAD)
def test_refused(name, device):
    attempt, text = BAD[name]
    with pytest.raises(RuntimeError, match=r"warpath::\w+: argument " + text):
        attempt(device)


def test_refused_by_name():
    with pytest.raises(RuntimeError, match="'b' is not on the device of 'a'"):
        warpath.vector_add(F32, F32.to("meta"))
    with pytest.raises(RuntimeError, match="argument 'kind' is 'mean'; allowed: 'sum', 'max'"):
        warpath.reduce(F32, kind="mean")
    with pytest.raises(RuntimeError, match="argument 'rung' is 'abc', which .*; it has: 01_naive,"):
        warpath.softmax(F32, rung="abc")
    with pytest.raises(RuntimeError, match="argument 'rung' is '03_wrap'.*did you mean '03_warp'"):
        warpath.softmax(F32, rung="03_wrap")
    with pytest.raises(RuntimeError, match="'rung' is '0', which begins several: 01_naive, 02_"):
        warpath.softmax(F32, rung="0")
    torch.testing.assert_close(warpath.softmax(F32, rung="03"), torch.softmax(F32, -1))


HUGE = torch.zeros(1).expand(1 << 40, 4)
IN_ONE_LINE = {
    "rung 99": (
        lambda: warpath.softmax(F32, rung="99"),
        "'99', which this op has not; it has: 01_naive, ",
    ),
    "rung 3": (lambda: warpath.softmax(F32, rung=3), "'rung' is 3; it takes a name"),
    "no rung": (lambda: warpath.softmax(F32, rung=""), "'rung' is ''; leave it out"),
    "None": (lambda: warpath.softmax(None), "argument 'x' is None; it takes a tensor"),
    "list": (lambda: warpath.softmax([1.0, 2.0]), "argument 'x' is a list; it takes a tensor"),
    "array": (lambda: warpath.softmax(F32.numpy()), "argument 'x' is a ndarray; it takes a tensor"),
    "nothing": (lambda: warpath.softmax(), "missing a required argument: 'x'"),
    "too much": (lambda: warpath.softmax(F32, F32), "too many positional arguments"),
    "unknown": (lambda: warpath.softmax(F32, dim=1), "unexpected keyword argument 'dim'"),
    "choice": (lambda: warpath.reduce(F32, kind=3), "'kind' is 3; it takes 'sum' or 'max'"),
    "number": (lambda: warpath.layer_norm(F32, eps="a"), "'eps' is 'a'; it takes float"),
    "sparse": (lambda: warpath.softmax(F32.to_sparse()), "'x' is sparse_coo; pass .to_dense()"),
    "huge": (lambda: warpath.softmax(HUGE), "torch has no memory for a copy in order"),
    "in place": (lambda: warpath.relu_(None), "argument 'x' is None; it takes a tensor"),
    "tensors": (lambda: warpath.grad_norm(F32), "'g' is a Tensor; it takes a list of tensors"),
    "a list's": (lambda: warpath.grad_norm([F32, 3]), r"'g' \[1\] is a int; it takes a tensor"),
}


@pytest.mark.parametrize("name", IN_ONE_LINE)
def test_refused_in_one_line(name):
    attempt, text = IN_ONE_LINE[name]
    with pytest.raises(RuntimeError, match=text) as caught:
        attempt()
    said = str(caught.value)
    assert said.startswith("warpath::") and "\n" not in said
    assert caught.value.__cause__ is None and (
        caught.value.__context__ is None or caught.value.__suppress_context__
    )


def test_other_arguments():
    with pytest.raises(ValueError, match="no op '3'"):
        warpath.rungs(3)
    with pytest.raises(TypeError, match=r"takes a torch.nn.Module, not NoneType"):
        warpath.patch(None)
    with pytest.raises(TypeError, match=r"takes the path of a .cu file, not NoneType"):
        warpath.load(None)
