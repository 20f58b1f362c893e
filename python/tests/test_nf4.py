"""NF4: a round trip's error, the layer of warpath.nn, and gradients through frozen weights."""

import pytest
import torch
import warpath
from warpath import nn


def weight(*shape, seed=0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_codes_are_nearest_and_high_half_first():
    w = weight(3, 4, 64)
    codes, absmax, scales, offset = warpath.nf4_quantize(w, groups=1)
    assert codes.shape == (3, 4, 32) and absmax.shape == (3, 4) and scales.shape == (1,)
    most = w.abs().amax(-1)
    torch.testing.assert_close(offset, most.mean().reshape(1))
    torch.testing.assert_close(scales, (most - most.mean()).abs().max().reshape(1))
    first, second = codes >> 4, codes & 15
    assert (first[w[..., ::2] == most[..., None]] == 15).all()
    assert (second[w[..., 1::2] == -most[..., None]] == 0).all()
    assert (second[w[..., 1::2] == most[..., None]] == 15).all()


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_a_round_trip_is_near(dtype):
    w = weight(20, 16, 64)
    back = warpath.nf4_dequantize(*warpath.nf4_quantize(w, groups=2), w_dtype=dtype)
    assert back.dtype == {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}[dtype]
    # Half of the widest step between values, and a little for the maximum's eight bits.
    error = (back.float() - w).abs() / w.abs().amax(-1, keepdim=True)
    assert error.max() < 0.16 and error.square().mean().sqrt() < 0.045


@pytest.mark.parametrize("rows", [2, 40])
def test_the_layer_and_its_gradient(rows):
    linear = torch.nn.Linear(128, 50)
    layer = nn.LinearNF4(linear)
    bits = 8 * sum(t.numel() * t.element_size() for n, t in layer.named_buffers() if n != "bias")
    assert bits / linear.weight.numel() < 4.2
    x = weight(rows, 128, seed=2).requires_grad_()
    y = layer(x)
    wanted = x @ layer.weight().T + linear.bias
    torch.testing.assert_close(y, wanted, rtol=1e-5, atol=1e-5)
    direction = weight(rows, 50, seed=3)
    got, want = (torch.autograd.grad((z * direction).sum(), x)[0] for z in (y, wanted))
    torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
    assert not list(layer.parameters())
    with pytest.raises(ValueError, match="63 inputs are no multiple of 64"):
        nn.LinearNF4(torch.nn.Linear(63, 2))


def test_sizes_that_do_not_fit_are_refused():
    w = weight(2, 3, 64)
    with pytest.raises(RuntimeError, match="groups must be 1, one per 256 of 6 blocks, not 2"):
        warpath.nf4_quantize(w, groups=2)
    parts = warpath.nf4_quantize(w, groups=1)
    for given, found in zip(parts, warpath.nf4_quantize(w), strict=True):  # one per 256 blocks
        assert torch.equal(given, found)
    assert warpath.nf4_quantize(weight(257, 64))[2].shape == (2,)
    with pytest.raises(RuntimeError, match="rows of 3 blocks of 64"):
        warpath.nf4_matmul(weight(1, 128), *parts)
