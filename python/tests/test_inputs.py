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
    wide = [torch.stack([t, t + 1], -1)[..., 0] for t in tensors]
    turned = [t.transpose(0, -1).contiguous().transpose(0, -1) for t in tensors]
    shifted = [torch.cat([t.new_zeros(1), t.flatten()])[1:].view(t.shape) for t in tensors]
    for variant in (wide, turned, shifted):
        torch.testing.assert_close(call(op, variant), wanted)
    same = [t[..., :1].expand(t.shape) for t in tensors]
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


def test_empty():
    assert warpath.softmax(torch.empty(0, 7)).shape == (0, 7)
    assert warpath.softmax(torch.empty(3, 0)).shape == (3, 0)
    assert warpath.transpose(torch.empty(0, 4)).shape == (4, 0)
    assert warpath.vector_add(torch.empty(0), torch.empty(0)).shape == (0,)
    assert warpath.reduce(torch.empty(0, 5)).shape == (0,)
    with pytest.raises(RuntimeError, match="argument 'x' has no elements, but the result has some"):
        warpath.reduce(torch.empty(3, 0))


def test_zero_dim():
    one = torch.tensor(1.5)
    assert warpath.vector_add(one, one).item() == 3
    with pytest.raises(RuntimeError, match="argument 'x' has 0 axes; it needs at least 1"):
        warpath.softmax(one)
    with pytest.raises(RuntimeError, match="argument 'x' has 0 axes; it needs 2"):
        warpath.transpose(one)


F32, F16 = torch.randn(4, 6), torch.randn(4, 6).half()
BAD = {
    "wrong dtype": (lambda d: warpath.softmax(F32.double().to(d)), "'x' is f64; allowed: f32"),
    "unknown dtype": (lambda d: warpath.softmax(F32.to(torch.complex64).to(d)), "'x' is another"),
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
    with pytest.raises(RuntimeError, match="argument 'rung' is '03_wrap'.*did you mean '03_warp'"):
        warpath.softmax(F32, rung="03_wrap")
    with pytest.raises(RuntimeError, match="'rung' is '0', which begins several: 01_naive, 02_"):
        warpath.softmax(F32, rung="0")
    with pytest.raises(RuntimeError, match="'x'"):
        warpath.softmax([1.0, 2.0])
    with pytest.raises(RuntimeError, match="x"):
        warpath.softmax()
    torch.testing.assert_close(warpath.softmax(F32, rung="03"), torch.softmax(F32, -1))
