"""Loss, logits, every gradient and three steps of AdamW against Hugging Face's GPT-2 and Llama."""

import pytest
import torch
from conftest import dump, losses, make_model, train
from draws import mixed
from safetensors.torch import load_file, save_file
from torch.nn.functional import cross_entropy

BATCH = ("--batch", 3, "--sequence", 37)
KINDS = ["gpt2", "llama", "llama3"]


def relative(got: torch.Tensor, want: torch.Tensor) -> float:
    return float((got.double() - want.double()).norm() / want.double().norm().clamp_min(1e-30))


def reference(model, tokens, labels):
    model.zero_grad()
    logits = model(tokens.long()).logits
    loss = cross_entropy(logits.flatten(0, 1).double(), labels.long().flatten())
    loss.backward()
    return loss.detach(), logits.detach(), {n: p.grad for n, p in model.named_parameters()}


@pytest.mark.parametrize("kind", KINDS)
def test_gradients(kind, tmp_path):
    model = make_model(kind, tmp_path / "model").double()
    got = dump(tmp_path, "--model", tmp_path / "model", "--dtype", "f32", *BATCH)
    loss, logits, gradients = reference(model, got["tokens"], got["labels"])
    assert relative(got["loss"], loss) < 1e-5
    assert relative(got["logits"], logits.flatten(0, 1)) < 1e-5
    assert {n[9:] for n in got if n.startswith("gradient.")} == set(gradients)
    for name, gradient in gradients.items():
        assert relative(got["gradient." + name], gradient) < 1e-4, name


@pytest.mark.parametrize("kind", KINDS)
def test_bf16(kind, tmp_path):
    """As near to the truth as PyTorch in bf16."""
    model = make_model(kind, tmp_path / "model")
    got = dump(tmp_path, "--model", tmp_path / "model", "--dtype", "bf16", *BATCH)
    theirs = reference(model.bfloat16(), got["tokens"], got["labels"])
    truth = reference(model.double(), got["tokens"], got["labels"])
    assert relative(got["logits"], truth[1].flatten(0, 1)) < 1.5 * relative(theirs[1], truth[1])
    for name, gradient in truth[2].items():
        bar = 1.5 * relative(theirs[2][name], gradient) + 2e-3
        assert relative(got["gradient." + name], gradient) < bar, name


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_one_block_by_finite_differences(kind, tmp_path):
    """The gradient's product with a random direction is the change of the loss along it."""
    layers = {"n_layer": 1} if kind == "gpt2" else {"num_hidden_layers": 1}
    make_model(kind, tmp_path / "model", **layers)
    file = tmp_path / "model/model.safetensors"
    words = ("--model", tmp_path / "model", "--dtype", "f32", "--batch", 2, "--sequence", 16)
    got = dump(tmp_path, *words)
    weights = load_file(file)
    torch.manual_seed(1)
    for name in [n for n in weights if ".0." in n and n.endswith(("weight", "bias"))][::3]:
        gradient = got["gradient." + name].double()
        # Half of it along the gradient: a derivative that is large enough to be seen in f32.
        direction = torch.nn.functional.normalize(torch.randn_like(gradient).flatten(), dim=0)
        direction = (direction + gradient.flatten() / gradient.norm()).view_as(gradient)
        step = 3e-3
        ends = []
        for sign in (1, -1):
            changed = weights | {name: (weights[name].double() + sign * step * direction).float()}
            save_file(changed, file)
            ends.append(float(dump(tmp_path, *words)["loss"]))
        slope = (ends[0] - ends[1]) / (2 * step)
        assert slope == pytest.approx(float((gradient * direction).sum()), rel=0.02, abs=2e-4), name


def batch_of(text: bytes, seed: int, number: int, batch: int, sequence: int):
    """The sequences that models/data.cpp takes."""
    size = len(text) - len(text) // 10 - sequence
    rows = []
    for b in range(batch):
        bits = mixed(mixed(mixed(seed)) ^ (number * batch + b))
        at = int((bits >> 11) * 2.0**-53 * size)
        rows.append(list(text[at : at + sequence + 1]))
    rows = torch.tensor(rows)
    return rows[:, :-1], rows[:, 1:]


@pytest.mark.parametrize("accumulate", [1, 2])
def test_three_steps_of_adamw(accumulate, tmp_path):
    model = make_model("gpt2", tmp_path / "model").double()
    text = bytes((7 * i * i + i) % 128 for i in range(5000))
    (tmp_path / "text").write_bytes(text)
    lines = train(
        *("--model", tmp_path / "model", "--dtype", "f32", "--data", tmp_path / "text"),
        *("--batch", 2, "--sequence", 24, "--accumulate", accumulate, "--steps", 3, "--warmup", 3),
        *("--rate", 1e-3, "--clip", 0.5, "--seed", 5, "--out", tmp_path / "run"),
    )
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, betas=(0.9, 0.95), eps=1e-8)
    for step in range(3):
        optimizer.zero_grad()
        total = 0.0
        for i in range(accumulate):
            tokens, labels = batch_of(text, 5, step * accumulate + i, 2, 24)
            loss = cross_entropy(model(tokens).logits.flatten(0, 1), labels.flatten()) / accumulate
            loss.backward()
            total += float(loss.detach())
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * (step + 1) / 3
        optimizer.step()
        assert losses(lines)[step] == pytest.approx(total, rel=1e-4)
        assert lines[step]["norm"] == pytest.approx(float(norm), rel=1e-4)
    weights = load_file(tmp_path / "run/step-000003/model.safetensors")
    for name, p in model.named_parameters():
        got, want = weights[name], p.detach()
        if name.endswith("c_attn.bias"):
            # A softmax does not see what is added to all scores of a row: the gradient of the keys' bias is zero, and
            # AdamW makes steps of what rounding leaves of it.
            (q, k, v), (want_q, want_k, want_v) = got.chunk(3), want.chunk(3)
            assert (k - want_k).abs().max() <= 1e-3 * (1 + 2 + 3) / 3
            got, want = torch.cat([q, v]), torch.cat([want_q, want_v])
        assert relative(got, want) < 1e-4, name
