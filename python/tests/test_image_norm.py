"""Norms of images: the modules beside torch's, in both layouts, in training and in evaluation."""

import pytest
import torch
import warpath
import warpath.nn
import warpath.nn.functional as F

LAYERS = [
    (torch.nn.GroupNorm, (3, 12), {}),
    (torch.nn.GroupNorm, (12, 12), {"eps": 0.1}),
    (torch.nn.GroupNorm, (2, 12), {"affine": False}),
    (torch.nn.InstanceNorm2d, (12,), {}),
    (torch.nn.InstanceNorm2d, (12,), {"affine": True}),
    (torch.nn.InstanceNorm2d, (12,), {"track_running_stats": True}),
    (torch.nn.BatchNorm2d, (12,), {}),
    (torch.nn.BatchNorm2d, (12,), {"momentum": None}),
    (torch.nn.BatchNorm2d, (12,), {"affine": False, "eps": 0.1}),
    (torch.nn.BatchNorm2d, (12,), {"track_running_stats": False}),
]
FORMATS = [torch.contiguous_format, torch.channels_last]


@pytest.mark.parametrize("memory_format", FORMATS, ids=["nchw", "nhwc"])
@pytest.mark.parametrize(("layer", "shape", "named"), LAYERS)
def test_module(layer, shape, named, memory_format):
    """The same state, results, gradients and running statistics, batch after batch."""
    torch.manual_seed(0)
    theirs = layer(*shape, **named)
    for p in theirs.parameters():
        torch.nn.init.normal_(p)
    ours = getattr(warpath.nn, layer.__name__)(*shape, **named)
    ours.load_state_dict(theirs.state_dict())
    assert repr(ours) == repr(theirs)
    for _ in range(2):
        x = torch.randn(3, 12, 5, 6).to(memory_format=memory_format)
        dy = torch.randn_like(x)
        inputs = [x.clone().requires_grad_() for _ in range(2)]
        results = [module(i) for module, i in zip((ours, theirs), inputs, strict=True)]
        torch.testing.assert_close(*results)
        if layer is not torch.nn.InstanceNorm2d or not named.get("track_running_stats"):
            assert results[0].is_contiguous(memory_format=memory_format)
        for y in results:
            y.backward(dy)
        torch.testing.assert_close(inputs[0].grad, inputs[1].grad, rtol=1e-5, atol=1e-5)
        for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
            torch.testing.assert_close(a.grad, b.grad, rtol=1e-5, atol=1e-5)
        torch.testing.assert_close(ours.state_dict(), theirs.state_dict())
    ours.eval()
    theirs.eval()
    torch.testing.assert_close(ours(x), theirs(x))
    with torch.no_grad():
        torch.testing.assert_close(ours(x), theirs(x))
    model = torch.nn.Sequential(theirs)
    assert warpath.patch(model) == [f"0: torch.nn.{layer.__name__}"]
    torch.testing.assert_close(model(x), ours(x))


@pytest.mark.parametrize("activation", ["relu", "silu"])
def test_fused_activation(activation):
    after = getattr(torch.nn.functional, activation)
    x, w, b = torch.randn(2, 6, 4, 5), torch.randn(6), torch.randn(6)
    theirs = torch.nn.functional.group_norm(x, 2, w, b)
    torch.testing.assert_close(F.group_norm(x, 2, w, b, activation=activation), after(theirs))
    theirs = torch.nn.functional.instance_norm(x, None, None, w, b)
    torch.testing.assert_close(
        F.instance_norm(x, weight=w, bias=b, activation=activation), after(theirs)
    )
    theirs = torch.nn.functional.batch_norm(x, None, None, w, b, True)
    torch.testing.assert_close(
        F.batch_norm(x, None, None, w, b, True, activation=activation), after(theirs)
    )


def test_mixed_types():
    """Parameters in f32 beside images in bf16, as autocast leaves them."""
    x = torch.randn(4, 6, 4, 4).bfloat16().requires_grad_()
    layer = warpath.nn.BatchNorm2d(6)
    layer(x).float().square().sum().backward()
    assert x.grad.dtype == torch.bfloat16 and layer.weight.grad.dtype == torch.float32
    narrow = warpath.nn.BatchNorm2d(6).bfloat16()
    assert narrow(x.detach()).dtype == torch.bfloat16
    assert narrow.running_var.dtype == torch.bfloat16 and not narrow.running_var.eq(1).all()


def test_gradients_in_float64():
    x = torch.randn(2, 3, 2, 3, 1, dtype=torch.float64, requires_grad=True)
    w, b = (torch.randn(2, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    norm = lambda *t: warpath.group_norm(*t, activation="silu")[0]
    assert torch.autograd.gradcheck(norm, (x, w, b))
    x = torch.randn(3, 4, 5, dtype=torch.float64, requires_grad=True)
    w, b = (torch.randn(4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    norm = lambda *t: warpath.batch_norm(*t, activation="silu")[0]
    assert torch.autograd.gradcheck(norm, (x, w, b))


def test_refused():
    with pytest.raises(RuntimeError, match="5 channels are no 2 groups"):
        F.group_norm(torch.randn(1, 5, 2, 2), 2)
    with pytest.raises(ValueError, match="more than one value"):
        F.batch_norm(torch.randn(1, 5, 1, 1), None, None, training=True)
    with pytest.raises(RuntimeError, match="4 channels, not 3"):
        warpath.nn.BatchNorm2d(3)(torch.randn(1, 4, 2, 2))
