"""Attention: torch's function, module and gradients by warpath.attention, and what it refuses."""

import copy
import math

import pytest
import torch
import warpath
import warpath.nn.functional as F
from warpath import nn

torchs = torch.nn.functional.scaled_dot_product_attention


def made(*shapes, dtype=torch.float32):
    generator = torch.Generator().manual_seed(7)
    return [torch.randn(s, generator=generator).to(dtype).requires_grad_() for s in shapes]


def assert_near(ours, theirs, wanted):
    """As near to float64 as torch's own, and a little more: roundings fall elsewhere."""
    error, allowed = ((t.double() - wanted).abs().max() for t in (ours, theirs))
    floor = 4e-6 + 2 * torch.finfo(ours.dtype).eps * wanted.abs().max()
    assert ours.shape == theirs.shape and error <= 2 * allowed + floor, f"{error}, {allowed}"


def compare(ours, theirs, tensors):
    """Two functions of the same tensors: results and gradients."""
    results = []
    for function, dtype in ((ours, None), (theirs, None), (theirs, torch.float64)):
        inputs = [t.detach().to(dtype or t.dtype).requires_grad_() for t in tensors]
        o = function(*inputs)
        slope = torch.linspace(-1, 1, o.numel()).view(o.shape).to(o.dtype)
        results.append((o.detach(), *torch.autograd.grad(o, inputs, slope)))
    for group in zip(*results, strict=True):
        assert_near(*group)


SHAPES = {
    "four axes": ((2, 3, 20, 32), (2, 3, 20, 32), (2, 3, 20, 32)),
    "two axes": ((9, 16), (9, 16), (9, 24)),
    "three axes": ((3, 20, 32), (3, 20, 32), (3, 20, 32)),
    "more keys": ((2, 3, 7, 32), (2, 3, 20, 32), (2, 3, 20, 16)),
    "more queries": ((2, 3, 20, 32), (2, 3, 7, 32), (2, 3, 7, 32)),
    "one query": ((2, 3, 1, 32), (2, 3, 7, 32), (2, 3, 7, 32)),
    "broadcast": ((2, 1, 3, 20, 16), (2, 2, 1, 7, 16), (1, 2, 3, 7, 16)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_as_torch_has_it(shapes, causal, dtype):
    """Causal from the first key on, as torch counts, whatever the lengths."""
    tensors = made(*shapes, dtype=dtype)
    named = {"is_causal": causal, "scale": 0.3}
    compare(lambda *t: F.scaled_dot_product_attention(*t, **named), lambda *t: torchs(*t, **named), tensors)  # fmt: skip


def test_grouped():
    tensors = made((2, 6, 20, 32), (2, 2, 20, 32), (2, 2, 20, 32))
    named = {"is_causal": True, "enable_gqa": True}
    compare(lambda *t: F.scaled_dot_product_attention(*t, **named), lambda *t: torchs(*t, **named), tensors)  # fmt: skip


def test_no_copies(monkeypatch):
    """The op gets views of what it was given: heads in front, and parts of one projection."""
    seen = []
    real = warpath.attention
    monkeypatch.setattr(warpath, "attention", lambda *t, **n: (seen.append(t), real(*t, **n))[1])
    q, k, v = torch.randn(2, 20, 3 * 4 * 16).unflatten(-1, (3, 4, 16)).permute(2, 0, 3, 1, 4)
    o = F.scaled_dot_product_attention(q, k, v)
    assert [t.data_ptr() for t in seen[0]] == [t.data_ptr() for t in (q, k, v)]
    assert o.transpose(1, 2).is_contiguous()
    torch.testing.assert_close(o, torchs(q, k, v))


def test_scale_of_zero():
    """Every key alike: 0 is a scale here, not the default."""
    q, k, v = made(*[(1, 2, 5, 16)] * 3)
    o = F.scaled_dot_product_attention(q, k, v, scale=0.0)
    torch.testing.assert_close(o, v.mean(-2, keepdim=True).expand_as(o))


@pytest.mark.parametrize("dtype", [torch.bool, torch.float32])
def test_mask_is_torchs(monkeypatch, dtype):
    """Result and gradients are torch's own, the mask's too; its refusals as well."""
    monkeypatch.setattr(warpath, "attention", None)  # not called
    q, k, v = made((2, 4, 8, 16), (2, 2, 9, 16), (2, 2, 9, 16))
    mask = torch.rand(2, 1, 8, 9) < 0.6 if dtype == torch.bool else torch.randn(8, 9)
    named = {"attn_mask": mask, "scale": 0.3, "enable_gqa": True}
    got, wanted = (f(q, k, v, **named) for f in (F.scaled_dot_product_attention, torchs))
    assert torch.equal(got, wanted)
    if dtype != torch.bool:
        mask.requires_grad_()
        slope = torch.randn_like(wanted)
        for each in (q, mask):
            got, wanted = (
                torch.autograd.grad(f(q, k, v, **named), each, slope)[0]
                for f in (F.scaled_dot_product_attention, torchs)
            )
            torch.testing.assert_close(got, wanted)
    with pytest.raises(RuntimeError, match="must match"):
        F.scaled_dot_product_attention(q, k, v, mask[..., :5], enable_gqa=True)


def test_window_and_softcap():
    tensors = made(*[(2, 2, 30, 16)] * 3)

    def plain(q, k, v):
        s = 4 * torch.tanh(q @ k.mT / math.sqrt(16) / 4)
        ahead = torch.arange(30) - torch.arange(30)[:, None]
        return s.masked_fill((ahead > 0) | (ahead <= -5), -math.inf).softmax(-1) @ v

    named = {"is_causal": True, "window": 5, "softcap": 4.0}
    compare(lambda *t: F.scaled_dot_product_attention(*t, **named), plain, tensors)


def test_dropout():
    """Repeatable by torch's seed, right on average, and the gradient has the same mask."""
    q, k, v = made((1, 4, 16, 16), (1, 4, 64, 16), (1, 4, 64, 16))
    torch.manual_seed(3)
    first = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    second = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    torch.manual_seed(3)
    assert torch.equal(first, F.scaled_dot_product_attention(q, k, v, dropout_p=0.5))
    assert not torch.equal(first, second)
    many = [F.scaled_dot_product_attention(q, k, v, dropout_p=0.25) for _ in range(100)]
    torch.testing.assert_close(torch.stack(many).mean(0), torchs(q, k, v), rtol=0, atol=0.15)
    # o is linear in v: its gradient gives o back.
    slope = torch.randn_like(first)
    (dv,) = torch.autograd.grad(first, v, slope)
    torch.testing.assert_close((dv * v).sum(), (slope * first).sum(), rtol=1e-4, atol=1e-4)


def test_refusals():
    q, k, v = made(*[(2, 4, 8, 16)] * 3)
    for more in ({"window": 2}, {"softcap": 1.0}):
        with pytest.raises(
            ValueError, match="attn_mask is left to torch's own, which has no window"
        ):
            F.scaled_dot_product_attention(q, k, v, torch.ones(8, 8, dtype=torch.bool), **more)
    with pytest.raises(ValueError, match="window: 3 queries and 8 keys"):
        F.scaled_dot_product_attention(q[:, :, :3], k, v, window=2)
    with pytest.raises(ValueError, match="4 heads of queries over 3 of keys"):
        F.scaled_dot_product_attention(q, k[:, :3], v[:, :3], enable_gqa=True)
    with pytest.raises(ValueError, match="have 4, 2 and 2 heads; enable_gqa=True lets"):
        F.scaled_dot_product_attention(q, k[:, :2], v[:, :2])
    with pytest.raises(TypeError, match="argument 'query' is NoneType; it takes a tensor"):
        F.scaled_dot_product_attention(None, k, v)
    with pytest.raises(ValueError, match=r"argument 'key' has the shape \(16,\)"):
        F.scaled_dot_product_attention(q, k[0, 0, 0], v)
    with pytest.raises(ValueError, match=r"axes do not broadcast: query \(2, .*key \(3, "):
        F.scaled_dot_product_attention(q, k[:1].expand(3, -1, -1, -1), v)
    with pytest.raises(RuntimeError, match="give both q_offsets and k_offsets"):
        warpath.attention(q[:1], k[:1], v[:1], torch.tensor([0, 4], dtype=torch.int32))
    assert "scaled_dot_product_attention" in dir(F) and dir(F) == dir(nn.functional)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = F.nothing


def test_no_keys():
    """As torch has it: a query that sees nothing gives zeros, and no gradient."""
    q, k, v = made(*[(2, 4, 8, 16)] * 3)
    o = F.scaled_dot_product_attention(q, k[:, :, :0], v[:, :, :0])
    torch.testing.assert_close(o, torch.zeros_like(q))
    o.sum().backward()
    assert not q.grad.any()


def test_packed_sequences():
    """What offsets pack is what each sequence gives alone; rows outside give nothing and have no gradient."""
    q, k, v = made((1, 40, 4, 16), (1, 50, 2, 16), (1, 50, 2, 16))
    q_offsets = torch.tensor([2, 10, 10, 39], dtype=torch.int32)
    k_offsets = torch.tensor([0, 20, 25, 50], dtype=torch.int32)
    o, lse = warpath.attention(q, k, v, q_offsets, k_offsets, causal=True)
    assert not lse.requires_grad
    got = torch.autograd.grad(o.square().sum(), (q, k, v))
    sums = 0
    for i, j in ((slice(2, 10), slice(0, 20)), (slice(10, 39), slice(25, 50))):
        alone, alone_lse = warpath.attention(q[:, i], k[:, j], v[:, j], causal=True)
        torch.testing.assert_close(o[:, i], alone)
        torch.testing.assert_close(lse[:, :, i], alone_lse)
        sums = sums + alone.square().sum()
    torch.testing.assert_close(got, torch.autograd.grad(sums, (q, k, v)), rtol=1e-4, atol=1e-5)
    outside = [0, 1, 39]
    assert not o[:, outside].any() and (lse[:, :, outside] == -math.inf).all()
    assert not got[0][:, outside].any()


def test_gradcheck():
    """The op and attention_backward agree in float64, both by their references; dropout and soft cap too."""
    q, k, v = made((1, 5, 4, 3), (1, 6, 2, 3), (1, 6, 2, 2), dtype=torch.float64)
    for named in ({"causal": True}, {"window": 2, "softcap": 1.5}, {"dropout": 0.3, "seed": 5}):
        assert torch.autograd.gradcheck(
            lambda *t, n=named: warpath.attention(*t, **n)[0], (q, k, v)
        )


def test_deterministic():
    """torch.use_deterministic_algorithms leaves out the rungs that add dq in no order, whatever was chosen before."""
    q, k, v = made(*[(1, 150, 2, 64)] * 3, dtype=torch.bfloat16)
    o, lse = warpath.attention(q, k, v, causal=True)
    slope = torch.randn_like(o)

    def gradients():
        return torch.autograd.grad(warpath.attention(q, k, v, causal=True)[0], (q, k, v), slope)

    def by(rung):
        given = [t.detach() for t in (slope, q, k, v, o, lse)]
        return warpath.attention_backward(*given, causal=True, rung=rung)

    ordered = by("03_two_passes")
    fastest = gradients()
    torch.use_deterministic_algorithms(True)
    try:
        assert all(map(torch.equal, gradients(), ordered))
        with pytest.raises(
            RuntimeError, match=r"rung '02_tiles' is not deterministic, but .*\(True"
        ):
            by("02")
        torch.use_deterministic_algorithms(True, warn_only=True)
        assert all(map(torch.equal, gradients(), ordered))
        with pytest.warns(UserWarning, match="rung '02_tiles' is not deterministic"):
            by("02")
    finally:
        torch.use_deterministic_algorithms(False)
    for got in (fastest, gradients()):
        assert not any(map(torch.equal, got, ordered))


def test_slope_of_any_strides():
    """The gradient of a sum is a number repeated: no axis of it is contiguous."""
    q, k, v = made(*[(2, 2, 20, 16)] * 3)
    got = torch.autograd.grad(F.scaled_dot_product_attention(q, k, v).sum(), (q, k, v))
    wanted = torch.autograd.grad(torchs(q, k, v).sum(), (q, k, v))
    torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)


def test_compiled():
    def loss(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).square().sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    q, k, v = made((2, 2, 20, 16), (2, 2, 24, 16), (2, 2, 24, 16))
    got, wanted = (torch.autograd.grad(f(q, k, v), (q, k, v)) for f in (compiled, loss))
    torch.testing.assert_close(got, wanted)
    shapes = [t.to("meta") for t in (q, k, v)]
    assert F.scaled_dot_product_attention(*shapes).shape == (2, 2, 20, 16)


def test_compiled_dropout():
    """One graph; its seed is drawn at every call, as without it, and the gradient has the same mask."""

    def loss(q, k, v):
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=0.3)
        return o.square().sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    tensors = made(*[(2, 2, 20, 16)] * 3)
    results = []
    for function in (loss, compiled):
        torch.manual_seed(5)
        results.append([torch.autograd.grad(function(*tensors), tensors) for _ in range(2)])
    torch.testing.assert_close(results[0], results[1])
    assert not torch.equal(results[1][0][0], results[1][1][0])
    q = tensors[0].detach().transpose(1, 2)
    seed = torch.tensor(7)
    drawn = torch.ops.warpath.attention_drawn.default
    torch.library.opcheck(drawn, (seed, q, q, q), {"dropout": 0.5})
    with torch.autocast("cpu", torch.bfloat16):
        assert drawn(seed, q, q, q, dropout=0.5)[0].dtype == torch.bfloat16


# --- MultiheadAttention ---------------------------------------------------------------------------

LAYERS = {
    "batch first": {"batch_first": True},
    "sequence first": {},
    "no bias": {"bias": False, "batch_first": True},
    "other widths": {"kdim": 10, "vdim": 14},
}


@pytest.mark.parametrize("named", LAYERS.values(), ids=LAYERS)
def test_module(named):
    """The same state, results and gradients; both ways of patching."""
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(24, 3, **named)
    ours = nn.MultiheadAttention(24, 3, **named)
    ours.load_state_dict(theirs.state_dict())
    assert repr(ours).replace("_OutProjection", "NonDynamicallyQuantizableLinear") == repr(theirs)
    patched = copy.deepcopy(theirs)
    lines = ["the model: torch.nn.MultiheadAttention"]
    lines += ["out_proj: torch.nn.NonDynamicallyQuantizableLinear"]
    done = warpath.patch(patched)
    assert done == lines and done.left == []
    x = torch.randn(7, 7, 24)
    key, value = torch.randn(7, 7, theirs.kdim), torch.randn(7, 7, theirs.vdim)
    inputs = (x, x, x) if theirs.in_proj_weight is not None else (x, key, value)
    mask = torch.ones(7, 7, dtype=torch.bool).triu(1)
    for given, more in (
        (inputs, {}),
        (inputs, {"attn_mask": mask, "is_causal": True}),
        ((x[:5], key[:5], value[:5]) if theirs.batch_first else (x[:5], key, value), {}),
        ((x[0], key[0], value[0]), {}),
    ):
        results = []
        for module in (ours, patched, theirs):
            module.zero_grad()
            o, weights = module(*given, need_weights=False, **more)
            assert weights is None
            o.square().sum().backward()
            results.append((o.detach(), [p.grad for p in module.parameters()]))
        torch.testing.assert_close(results[0], results[2], rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(results[1], results[2], rtol=1e-4, atol=1e-5)


def test_module_by_torch(monkeypatch):
    """Weights and masks are torch's own, and so is the result."""
    theirs = torch.nn.MultiheadAttention(24, 3, batch_first=True)
    ours = nn.MultiheadAttention(24, 3, batch_first=True)
    ours.load_state_dict(theirs.state_dict())
    monkeypatch.setattr(warpath, "attention", None)  # not called
    x = torch.randn(2, 7, 24)
    hidden = torch.zeros(2, 7, dtype=torch.bool)
    hidden[1, 5:] = True
    mask = torch.rand(7, 7) < 0.3
    mask.fill_diagonal_(False)
    for named in (
        {},
        {"average_attn_weights": False},
        {"need_weights": False, "key_padding_mask": hidden},
        {"need_weights": False, "attn_mask": mask},
    ):
        got, wanted = (module(x, x, x, **named) for module in (ours, theirs))
        torch.testing.assert_close(got, wanted)
    for more in ({"add_bias_kv": True}, {"add_zero_attn": True}):
        odd = nn.MultiheadAttention(24, 3, **more)
        assert odd(x, x, x, need_weights=False)[0].shape == x.shape


def test_module_compiled():
    module = nn.MultiheadAttention(32, 2, batch_first=True)
    x = torch.randn(2, 9, 32)
    compiled = torch.compile(
        lambda x: module(x, x, x, need_weights=False)[0], fullgraph=True, backend="aot_eager"
    )
    torch.testing.assert_close(compiled(x), module(x, x, x, need_weights=False)[0])
