"""AdamW against torch's, and the ops on lists of tensors that it is made of."""

import copy
from pathlib import Path

import pytest
import torch
import warpath
import warpath.optim
from conftest import ALL_OPS


def model(dtype=torch.float32):
    torch.manual_seed(7)
    return torch.nn.Sequential(
        torch.nn.Linear(20, 33), torch.nn.LayerNorm(33), torch.nn.Linear(33, 5)
    ).to(dtype)


def train(net, optimizer, steps=6, clip=None, first=0):
    for step in range(first, first + steps):
        torch.manual_seed(step)
        optimizer.zero_grad()
        net(torch.randn(16, 20).to(net[0].weight.dtype)).float().square().mean().backward()
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
        optimizer.step()


def groups(net):
    decay = [p for p in net.parameters() if p.dim() > 1]
    other = [p for p in net.parameters() if p.dim() <= 1]
    return [
        {"params": decay, "weight_decay": 0.2},
        {"params": other, "weight_decay": 0, "lr": 0.02},
    ]


@pytest.mark.parametrize("clip", [None, 0.05])
def test_as_torch(clip):
    ours, theirs = model(), model()
    train(ours, warpath.optim.AdamW(groups(ours), lr=0.01, clip_grad_norm=clip))
    train(theirs, torch.optim.AdamW(groups(theirs), lr=0.01), clip=clip)
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("to_ours", [True, False])
def test_checkpoints_move(to_ours):
    """Three steps by one, three by the other, and nobody can tell."""
    makers = [torch.optim.AdamW, warpath.optim.AdamW]
    if not to_ours:
        makers.reverse()
    net, wanted = model(), model()
    first = makers[0](net.parameters(), lr=0.01)
    train(net, first, 3)
    second = makers[1](net.parameters(), lr=0.5)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    assert second.param_groups[0]["lr"] == 0.01
    train(net, second, 3, first=3)
    train(wanted, torch.optim.AdamW(wanted.parameters(), lr=0.01), 6)
    for a, b in zip(net.parameters(), wanted.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=2e-6, atol=2e-6)
    assert first.state_dict()["param_groups"][0].keys() >= {"lr", "betas", "eps", "weight_decay"}
    assert set(second.state_dict()["state"][0]) == {"step", "exp_avg", "exp_avg_sq"}


def test_master_weights():
    """Steps that are too small for 16 bits add up in the master weights."""
    p = torch.nn.Parameter(torch.full((100,), 4.0, dtype=torch.bfloat16))
    q = torch.nn.Parameter(p.detach().clone())
    with_master = warpath.optim.AdamW([p], lr=1e-3, weight_decay=0, master_weights=True)
    without = warpath.optim.AdamW([q], lr=1e-3, weight_decay=0)
    for _ in range(40):
        for parameter, optimizer in ((p, with_master), (q, without)):
            parameter.grad = torch.ones_like(parameter)
            optimizer.step()
    assert torch.all(q == 4)
    torch.testing.assert_close(p.float(), torch.full((100,), 3.96), rtol=0, atol=0.01)
    saved = with_master.state_dict()
    assert saved["state"][0]["master"].dtype == torch.float32
    again = warpath.optim.AdamW([p], master_weights=True)
    again.load_state_dict(saved)
    for name in ("master", "exp_avg", "exp_avg_sq"):
        assert torch.equal(again.state[p][name], saved["state"][0][name])


def test_parameters_without_gradients_and_several_types():
    a = torch.nn.Parameter(torch.randn(70))
    b = torch.nn.Parameter(torch.randn(30).half())
    idle = torch.nn.Parameter(torch.randn(5))
    twin = torch.nn.Parameter(a.detach().clone())
    optimizer = warpath.optim.AdamW([a, b, idle], clip_grad_norm=0.5)
    optimizer.step()  # nothing to do
    before = idle.detach().clone()
    a.grad, b.grad = torch.randn(70), torch.randn(30).half()
    norm = torch.cat([a.grad, b.grad.float()]).norm()
    twin.grad = a.grad * (0.5 / (norm + 1e-6))
    version = a._version
    assert optimizer.step(lambda: 3.5) == 3.5
    torch.optim.AdamW([twin]).step()
    torch.testing.assert_close(optimizer.grad_norm, norm)
    torch.testing.assert_close(a, twin)
    assert torch.equal(idle, before) and a._version > version


@pytest.mark.parametrize("name", ["amsgrad", "maximize", "capturable", "differentiable"])
def test_unsupported(name):
    with pytest.raises(NotImplementedError, match=f"{name} is not supported"):
        warpath.optim.AdamW([torch.nn.Parameter(torch.ones(1))], **{name: True})


def test_rate_in_a_tensor(monkeypatch):
    """Read by the kernel where it lies beside the parameters: whoever writes to it changes the next step."""
    seen, real = [], warpath.adamw
    monkeypatch.setattr(warpath, "adamw", lambda *t, **n: (seen.append(n), real(*t, **n))[1])
    nets = model(), model()
    optimizers = []
    for net, kind in zip(nets, (warpath.optim.AdamW, torch.optim.AdamW), strict=True):
        rate = torch.tensor(0.02)
        optimizer = kind(net.parameters(), lr=rate, foreach=False)
        train(net, optimizer, 3)
        rate.mul_(0.25)
        train(net, optimizer, 3, first=3)
        optimizers.append(optimizer)
    for a, b in zip(*(net.parameters() for net in nets), strict=True):
        torch.testing.assert_close(a, b, rtol=2e-6, atol=2e-6)
    assert [n["lr_step"].tolist()[1] for n in seen] == [1, 2, 3, 4, 5, 6]
    assert not any({"lr", "step"} & n.keys() for n in seen)
    assert torch.equal(optimizers[0].state_dict()["param_groups"][0]["lr"], torch.tensor(0.005))
    with pytest.raises(ValueError, match="lr has 2 elements; it takes one"):
        optimizers[0].add_param_group(
            {"params": torch.nn.Parameter(torch.ones(1)), "lr": torch.ones(2)}
        )


def test_bad_options():
    p = torch.nn.Parameter(torch.ones(1))
    for options in ({"lr": -1}, {"betas": (0.9, 1.0)}, {"eps": -1e-8}, {"clip_grad_norm": 0}):
        with pytest.raises(ValueError, match=next(iter(options))):
            warpath.optim.AdamW([p], **options)
    for rates in (torch.ones(2), torch.ones(0)):
        with pytest.raises(ValueError, match=f"lr has {rates.numel()} elements; it takes one"):
            warpath.optim.AdamW([p], lr=rates)
    assert warpath.optim.AdamW([p], foreach=True, fused=False, lr=torch.tensor(0.1)) is not None


# --- lists of tensors -----------------------------------------------------------------------------


def lists(dtype=torch.float32):
    sizes = [(3, 5), (0,), (70,), ()]
    return [[torch.rand(s).to(dtype) for s in sizes] for _ in range(2)] + [
        [torch.rand(s) for s in sizes] for _ in range(2)
    ]


def test_schema():
    text = str(ALL_OPS["adamw"].overload._schema)
    assert "(Tensor(a!)[] p, Tensor[] g, Tensor(b!)[] m, " in text
    assert "Tensor(d!)[]? master=None" in text
    assert "p: list of tensors, f32, f16, bf16, changed in place" in warpath.adamw.__doc__
    stubs = (Path(warpath.__file__).parent / "__init__.pyi").read_text()
    assert "master: list[Tensor] | None = None" in stubs
    torch.library.opcheck(ALL_OPS["grad_norm"].overload, (lists()[0],))
    torch.library.opcheck(ALL_OPS["adamw"].overload, tuple(lists()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("rung", warpath.rungs("grad_norm"))
def test_norm(dtype, rung):
    g = lists(dtype)[0]
    norm, factor = warpath.grad_norm(g, max_norm=0.5, rung=rung)
    wanted = torch.cat([t.float().flatten() for t in g]).norm()
    torch.testing.assert_close(norm[0], wanted)
    torch.testing.assert_close(factor[0], 0.5 / (wanted + 1e-6))


@pytest.mark.parametrize("rung", warpath.rungs("adamw"))
def test_tensors_that_are_not_contiguous(rung):
    p, g, m, v = ([torch.rand(6, 4).t() for _ in range(2)] for _ in range(4))
    wanted = [[t.contiguous() for t in each] for each in (p, g, m, v)]
    warpath.adamw(p, g, m, v, rung=rung)
    warpath.adamw(*wanted, rung=rung)
    for some, others in zip((p, g, m, v), wanted, strict=True):
        for a, b in zip(some, others, strict=True):
            assert torch.equal(a, b)


def test_refusals():
    p, g, m, v = lists()
    with pytest.raises(RuntimeError, match="'g' has 3 tensors, but 'p' has 4"):
        warpath.adamw(p, g[:3], m, v)
    with pytest.raises(RuntimeError, match=r"'m' \[0\] has 14 elements, but 'p\[0\]' has 15"):
        warpath.adamw(p, g, [m[0].flatten()[1:], *m[1:]], v)
    with pytest.raises(RuntimeError, match="'g' is f16 but 'p' is f32"):
        warpath.adamw(p, [t.half() for t in g], m, v)
    with pytest.raises(RuntimeError, match="'p' holds both f32 and f16; one call takes one type"):
        warpath.adamw([p[0], p[1].half(), *p[2:]], g, m, v)
    with pytest.raises(RuntimeError, match="'v' is f16 but 'm' is f32"):
        warpath.adamw(p, g, m, [t.half() for t in v])


def test_compare():
    """PyTorch's own step is held against the reference too; each row starts from the same weights."""
    made = warpath.compare(
        "adamw", case="several", dtype="f32", rows=["Warpath", "PyTorch", "numpy"]
    )
    assert list(made["passed"]) == list(made["ran"]) == [True, True, False]
    assert made["note"]["numpy"] == "changes no arguments in place"
    made = warpath.compare("grad_norm", case="several", dtype="f32", rows=["Warpath", "WebGPU"])
    assert made["note"]["WebGPU"] == "takes no lists of tensors"
