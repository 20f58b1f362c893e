"""warpath.patch on models of Hugging Face with random weights: same logits, same gradients."""

import copy

import pytest
import torch
import warpath

transformers = pytest.importorskip("transformers")


def gpt2() -> torch.nn.Module:
    config = transformers.GPT2Config(
        vocab_size=101,
        n_positions=32,
        n_embd=48,
        n_layer=2,
        n_head=3,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
    )
    return transformers.GPT2LMHeadModel(config)


def llama() -> torch.nn.Module:
    config = transformers.LlamaConfig(
        vocab_size=101,
        hidden_size=48,
        intermediate_size=80,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=2,
        max_position_embeddings=32,
    )
    return transformers.LlamaForCausalLM(config)


REPLACED = {
    gpt2: {"torch.nn.LayerNorm", "torch.nn.Embedding", "torch.nn.Dropout", "torch.nn.Linear"}
    | {"transformers.Conv1D", "transformers.NewGELUActivation"},
    llama: {
        "transformers.LlamaRMSNorm",
        "transformers.LlamaMLP",
        "torch.nn.Embedding",
        "torch.nn.Linear",
    },
}
LEFT = {gpt2: set(), llama: {"transformers.LlamaRotaryEmbedding", "transformers.SiLUActivation"}}


def kinds(lines: list[str]) -> set[str]:
    return {line.split(": ")[1] for line in lines}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("make", [gpt2, llama])
def test_patched(make, dtype):
    torch.manual_seed(1)
    model = make().to(dtype).eval()  # dropout draws other masks than torch's
    twin = copy.deepcopy(model)
    patched = warpath.patch(model)
    assert kinds(patched) == REPLACED[make]
    assert kinds(patched.left) == LEFT[make]

    ids = torch.randint(0, 101, (2, 17))
    exact = copy.deepcopy(twin).double()
    results = [m(ids, labels=ids) for m in (exact, twin, model)]
    for result in results:
        result.loss.backward()
    wanted, theirs, ours = (r.logits.detach().double() for r in results)

    # As near to float64 as torch's own, and a little more: roundings fall elsewhere.
    def near(ours, theirs, wanted, name):
        error, allowed = (ours - wanted).abs().max(), (theirs - wanted).abs().max()
        size = wanted.abs().max()
        floor = torch.finfo(dtype).eps * size
        assert error <= 2 * allowed + floor, f"{name}: {error:.3g}, torch {allowed:.3g}"

    near(ours, theirs, wanted, "logits")
    named = zip(exact.named_parameters(), twin.parameters(), model.parameters(), strict=True)
    for (name, e), t, m in named:
        near(m.grad.double(), t.grad.double(), e.grad, name)


def test_trains():
    """In training mode, dropout included: the loss falls."""
    torch.manual_seed(1)
    model = gpt2().train()
    warpath.patch(model)
    ids = torch.randint(0, 101, (2, 17))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(8):
        loss = model(ids, labels=ids).loss
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert losses[-1] < losses[0] - 0.5
