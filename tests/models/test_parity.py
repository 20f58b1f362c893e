"""Loss, logits, every gradient and three steps of AdamW against Hugging Face's GPT-2 and Llama."""

import pytest
import torch
from conftest import check_slopes, dump, losses, make_model, relative, train
from draws import mixed
from safetensors.torch import load_file
from steps import STEPS, check_bf16_steps
from torch.nn.functional import cross_entropy

BATCH = ("--batch", 3, "--sequence", 37)
KINDS = ["gpt2", "llama", "llama3"]


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
    # The loss: that of its own logits in f32, and as near to the truth as the logits let it be.
    own = cross_entropy(got["logits"].double(), got["labels"].long().flatten())
    assert relative(got["loss"], own) < 1e-5
    spread = (theirs[1].double() - truth[1]).square().mean().sqrt()
    assert (got["loss"] - truth[0]).abs() < spread
    for name, gradient in truth[2].items():
        bar = 1.5 * relative(theirs[2][name], gradient) + 2e-3
        assert relative(got["gradient." + name], gradient) < bar, name


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_one_block_by_finite_differences(kind, tmp_path):
    layers = {"n_layer": 1} if kind == "gpt2" else {"num_hidden_layers": 1}
    model = make_model(kind, tmp_path, **layers)
    names = sorted(n for n, _ in model.named_parameters() if ".0." in n)[::3]
    check_slopes(tmp_path, names, "--batch", 2, "--sequence", 16)


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


@pytest.mark.parametrize(("kind", "accumulate"), [("gpt2", 1), ("gpt2", 2), ("llama3", 2)])
def test_three_steps_of_adamw(kind, accumulate, tmp_path):
    model = make_model(kind, tmp_path / "model").double()
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


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_three_steps_in_bf16(kind, tmp_path):
    model = make_model(kind, tmp_path / "model")
    text = bytes((7 * i * i + i) % 128 for i in range(5000))
    (tmp_path / "text").write_bytes(text)
    lines = train(
        *("--model", tmp_path / "model", "--dtype", "bf16", "--data", tmp_path / "text"),
        *("--batch", 2, "--sequence", 24, *STEPS, "--out", tmp_path / "run"),
    )

    def loss_of(model, step):
        tokens, labels = batch_of(text, 5, step, 2, 24)
        logits = model(tokens).logits.flatten(0, 1)
        return cross_entropy(logits.double(), labels.flatten())

    def seen(name, change):  # without the bias of the keys, whose gradient is rounding
        if not name.endswith("c_attn.bias"):
            return change
        q, _, v = change.chunk(3)
        return torch.cat([q, v])

    check_bf16_steps(model, loss_of, lines, tmp_path / "run/step-000003", seen=seen)


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_full_width(kind, tmp_path):
    """A layer of GPT-2 124M and of Llama 1B, with few tokens."""
    widths = {
        "gpt2": {"n_embd": 768, "n_head": 12, "n_layer": 1},
        "llama": {
            "hidden_size": 2048,
            "intermediate_size": 8192,
            "num_hidden_layers": 1,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 64,
        },
    }
    model = make_model(kind, tmp_path / "model", noise=0.01, **widths[kind])
    words = ("--model", tmp_path / "model", "--dtype", "f32", "--batch", 1, "--sequence", 16)
    got = dump(tmp_path, *words)
    loss, logits, gradients = reference(model.double(), got["tokens"], got["labels"])
    assert relative(got["loss"], loss) < 1e-5
    assert relative(got["logits"], logits.flatten(0, 1)) < 1e-5
    for name, gradient in gradients.items():
        assert relative(got["gradient." + name], gradient) < 1e-4, name
