"""Three steps of AdamW in bf16 with f32 masters: warpath's and PyTorch's, each against the same in f64."""

import copy
import pathlib
from collections.abc import Callable

import pytest
import torch
from conftest import losses, relative
from safetensors.torch import load_file

RATE, CLIP = 1e-3, 0.5
STEPS = ("--steps", 3, "--warmup", 3, "--rate", RATE, "--clip", CLIP, "--seed", 5)


def is_matrix(_: str, p: torch.Tensor) -> bool:
    return p.dim() == 2


def three_steps(model, dtype: torch.dtype, loss_of: Callable, decays: Callable):
    """The losses, and by how much each parameter has changed."""
    model = copy.deepcopy(model)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    first = {n: p.detach().to(wide) for n, p in model.named_parameters()}
    masters = {n: torch.nn.Parameter(p.clone()) for n, p in first.items()}
    groups = [
        {"params": [p for n, p in masters.items() if decays(n, p)], "weight_decay": 0.1},
        {"params": [p for n, p in masters.items() if not decays(n, p)], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.95), eps=1e-8)
    model = model.to(dtype)
    found = []
    for step in range(3):
        model.zero_grad()
        loss = loss_of(model, step)
        loss.backward()
        found.append(float(loss.detach()))
        for name, p in model.named_parameters():
            masters[name].grad = p.grad.to(wide)
        torch.nn.utils.clip_grad_norm_(masters.values(), CLIP)
        for group in optimizer.param_groups:
            group["lr"] = RATE * (step + 1) / 3
        optimizer.step()
        with torch.no_grad():
            for name, p in model.named_parameters():
                p.copy_(masters[name])
    return found, {n: (p.detach() - first[n]).double() for n, p in masters.items()}


def check_bf16_steps(
    model,
    loss_of: Callable,
    lines: list[dict],
    checkpoint: pathlib.Path,
    decays: Callable = is_matrix,
    name_in_file: Callable = str,
    seen: Callable = lambda _, change: change,
) -> None:
    """`model` is as it was before the run of `lines`; `seen` is the part of a change that is not rounding alone."""
    first = {n: p.detach().double() for n, p in model.named_parameters()}
    masters = load_file(checkpoint / "optimizer.safetensors")
    weights = load_file(checkpoint / "model.safetensors")
    truth, changes = three_steps(model, torch.float64, loss_of, decays)
    _, their_changes = three_steps(model, torch.bfloat16, loss_of, decays)
    assert losses(lines) == pytest.approx(truth, rel=2e-3)
    vectors = []
    for name, change in changes.items():
        weight = weights[name_in_file(name)]
        master = masters[name_in_file(name) + ".master"].view_as(weight)
        assert torch.equal(weight, master.bfloat16()), name
        want = seen(name, change)
        if want is None:
            continue
        got, bar = seen(name, master.double() - first[name]), seen(name, their_changes[name])
        if change.dim() < 2:
            vectors.append([t.flatten() for t in (got, bar, want)])
        else:
            assert relative(got, want) < 1.5 * relative(bar, want) + 0.005, name
    # AdamW's first steps are as long for an element whose gradient is rounding: vectors have few elements, and are judged together.
    got, bar, want = map(torch.cat, zip(*vectors, strict=True))
    assert relative(got, want) < 1.5 * relative(bar, want) + 0.02
