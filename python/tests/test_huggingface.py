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
    | {"transformers.Conv1D", "transformers.NewGELUActivation", "transformers attention 'sdpa'"},
    llama: {
        "transformers.LlamaRMSNorm",
        "transformers.LlamaMLP",
        "torch.nn.Embedding",
        "torch.nn.Linear",
        "transformers attention 'sdpa'",
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


@pytest.fixture
def calls(monkeypatch) -> list[tuple[int, int, bool]]:
    """Queries, keys and mask of every call of warpath.attention."""
    seen, real = [], warpath.attention

    def watch(q, k, v, **named):
        seen.append((q.shape[1], k.shape[1], named["causal"]))
        return real(q, k, v, **named)

    monkeypatch.setattr(warpath, "attention", watch)
    return seen


@pytest.mark.parametrize("make", [gpt2, llama])
def test_attention(make, calls):
    """Ours for plain sequences and for a cache, torch's where a batch is padded; all with the same logits."""
    torch.manual_seed(1)
    model = make().eval()
    twin = copy.deepcopy(model)
    assert "the model: transformers attention 'sdpa'" in warpath.patch(model)
    assert model.config._attn_implementation == "warpath"
    assert twin.config._attn_implementation == "sdpa"
    assert "warpath" not in model.config.to_json_string()  # a saved model is anybody's
    assert not any("attention" in line for line in warpath.patch(model))
    ids = torch.randint(0, 101, (2, 9))
    with torch.no_grad():
        torch.testing.assert_close(model(ids).logits, twin(ids).logits, rtol=1e-4, atol=1e-5)
        assert calls == [(9, 9, True)] * 2
        written = [m.generate(ids, max_new_tokens=3, do_sample=False, pad_token_id=0) for m in (model, twin)]  # fmt: skip
        assert torch.equal(*written)
        assert calls[2:] == [(9, 9, True)] * 2 + [(1, 10, False)] * 2 + [(1, 11, False)] * 2
        padded = torch.ones_like(ids)
        padded[1, :4] = 0
        count = len(calls)
        got, wanted = (m(ids, attention_mask=padded).logits for m in (model, twin))
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)
        assert len(calls) == count


def test_attention_that_stays():
    model = gpt2()
    model.set_attn_implementation("eager")
    assert "the model: transformers attention 'eager'" in warpath.patch(model).left
    assert model.config._attn_implementation == "eager"
    model = gpt2().double()
    assert "the model: transformers attention 'sdpa' (float64)" in warpath.patch(model).left


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
