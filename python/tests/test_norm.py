"""Normalisation: the modules beside torch's, and gradients where tensors are left out."""

import pytest
import torch
import warpath
import warpath.nn

LAYERS = [
    (torch.nn.LayerNorm, 40, {}),
    (torch.nn.LayerNorm, 40, {"bias": False}),
    (torch.nn.LayerNorm, 40, {"elementwise_affine": False}),
    (torch.nn.LayerNorm, (5, 8), {"eps": 0.1}),
    (torch.nn.RMSNorm, 40, {}),
    (torch.nn.RMSNorm, 40, {"elementwise_affine": False}),
    (torch.nn.RMSNorm, (5, 8), {"eps": 0.1}),
]


@pytest.mark.parametrize(("layer", "shape", "named"), LAYERS)
def test_module(layer, shape, named):
    """The same state, results and gradients."""
    torch.manual_seed(0)
    theirs = layer(shape, **named)
    for p in theirs.parameters():
        torch.nn.init.normal_(p)
    ours = getattr(warpath.nn, layer.__name__)(shape, **named)
    ours.load_state_dict(theirs.state_dict())
    assert repr(ours) == repr(theirs)
    lead = (3, 2)
    rest = shape if isinstance(shape, tuple) else (shape,)
    x = torch.randn(*lead, *rest)
    dy = torch.randn_like(x)
    inputs = [x.clone().requires_grad_() for _ in range(2)]
    results = [module(i) for module, i in zip((ours, theirs), inputs, strict=True)]
    torch.testing.assert_close(*results)
    for y in results:
        y.backward(dy)
    torch.testing.assert_close(inputs[0].grad, inputs[1].grad)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-5, atol=1e-5)
    with pytest.raises(RuntimeError):
        ours(torch.randn(3, 7))
    model = torch.nn.Sequential(theirs)
    assert warpath.patch(model) == [f"0: torch.nn.{layer.__name__}"]
    torch.testing.assert_close(model(x), results[1].detach())


def test_statistics_have_no_gradient():
    x = torch.randn(4, 9, requires_grad=True)
    y, mean, rstd = warpath.layer_norm(x)
    assert y.requires_grad and not mean.requires_grad and not rstd.requires_grad
    torch.testing.assert_close(mean, x.detach().mean(-1))


def test_under_transforms():
    x, w = torch.randn(4, 9), torch.randn(9)
    loss = lambda x, w, norm: norm(x, w).square().sum()
    got = torch.func.grad(loss, (0, 1))(x, w, lambda x, w: warpath.layer_norm(x, w)[0])
    wanted = torch.func.grad(loss, (0, 1))(
        x, w, lambda x, w: torch.nn.functional.layer_norm(x, (9,), w)
    )
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_add_norm(kind):
    """The sum as torch rounds it, the norm of the rounded sum, and the gradients of the two ops apart."""
    x, residual = torch.randn(2, 3, 40).bfloat16(), torch.randn(2, 3, 40).bfloat16()
    w = torch.randn(40).bfloat16()
    norm = warpath.layer_norm if kind == "layer" else warpath.rms_norm
    y, s, _, rstd = warpath.add_norm(x, residual, w, kind=kind)
    assert torch.equal(s, x + residual)
    apart = norm(s, w, eps=1e-5)
    assert torch.equal(y, apart[0]) and torch.equal(rstd, apart[-1])
    over = x.clone(), residual.clone()
    in_place = warpath.add_norm_(*over, w, kind=kind)
    assert in_place[0] is over[0] and torch.equal(over[0], y)
    assert in_place[1] is over[1] and torch.equal(over[1], s)

    results = []
    for fused in (True, False):
        inputs = [t.float().requires_grad_() for t in (x, residual, w)]
        if fused:
            y, s, *_ = warpath.add_norm(*inputs, kind=kind)
        else:
            s = inputs[0] + inputs[1]
            y = norm(s, inputs[2], eps=1e-5)[0]
        (y.square().sum() + (3 * s).sin().sum()).backward()
        results.append([t.grad for t in inputs])
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)
    x = x.float().requires_grad_()
    warpath.add_norm(x, residual.float(), kind=kind)[1].sum().backward()
    torch.testing.assert_close(x.grad, torch.ones_like(x))


def test_adaptive_norm():
    """Scale, shift and gate as columns of one product, and the gradients that it gets, as torch has them."""
    x, packed = torch.randn(3, 5, 24), torch.randn(3, 72)
    results = []
    for dtype in (torch.float32, torch.float64):
        leaves = [t.detach().to(dtype).requires_grad_() for t in (x, packed)]
        shift, scale, gate = leaves[1].chunk(3, 1)
        if dtype == torch.float32:
            y, mean, rstd = warpath.adaptive_norm(leaves[0], scale, shift)
            assert not mean.requires_grad and not rstd.requires_grad
            r = warpath.gated_add(leaves[0], y, gate)
        else:
            normal = torch.nn.functional.layer_norm(leaves[0], (24,), eps=1e-6)
            y = normal * (1 + scale[:, None]) + shift[:, None]
            r = leaves[0] + gate[:, None] * y
        (y.square().sum() + (3 * r).sin().sum()).backward()
        results.append([t.double() for t in (y, r, leaves[0].grad, leaves[1].grad)])
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-4)
