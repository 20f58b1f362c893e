"""LoRA and QLoRA against adapters written out in PyTorch on Hugging Face's GPT-2 and Llama; PEFT's files in and out."""

import filecmp
import json
import math

import pytest
import torch
from conftest import drop_checkpoint, dump, losses, make_model, relative, train, warpath
from draws import mixed, philox
from safetensors.torch import load_file, save_file
from test_parity import batch_of, reference
from torch.nn.functional import cross_entropy
from transformers import AutoModelForCausalLM

BATCH = ("--batch", 3, "--sequence", 37, "--dtype", "f32")
SMALL = ("--batch", 2, "--sequence", 24, "--evaluate-every", 0)
TARGETS = {"gpt2": ["c_attn", "c_proj"], "llama3": ["q_proj", "v_proj", "down_proj"]}
RANK, ALPHA = 5, 12


def write_adapter(model, kind, folder) -> dict[str, torch.Tensor]:
    """Adapters with random values, as PEFT would write them."""
    folder.mkdir()
    torch.manual_seed(7)
    weights = {}
    for name, module in model.named_modules():
        if name.split(".")[-1] in TARGETS[kind]:
            rows, columns = module.weight.shape
            inputs, outputs = (rows, columns) if kind == "gpt2" else (columns, rows)
            weights[f"base_model.model.{name}.lora_A.weight"] = 0.3 * torch.randn(RANK, inputs)
            weights[f"base_model.model.{name}.lora_B.weight"] = 0.3 * torch.randn(outputs, RANK)
    save_file(weights, folder / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "target_modules": TARGETS[kind]}
    (folder / "adapter_config.json").write_text(json.dumps(config | {"rank_pattern": {}}))
    return weights


def kept(shape: torch.Size, p: float, seed: int, offset: int) -> torch.Tensor:
    """The mask of the op `dropout`."""
    return (philox(math.prod(shape), seed, offset) >= int(p * 2**32)).view(shape)


def adapt(model, weights, dropout=0.0, seed=0, number=0) -> dict[str, torch.nn.Parameter]:
    """The model with frozen weights and y + alpha / rank (dropout(x) A^T) B^T in place of y."""
    offsets = iter(range(number << 20, 1 << 62))
    adapters = {name: torch.nn.Parameter(w.double()) for name, w in weights.items()}
    for p in model.parameters():
        p.requires_grad_(False)
    for name, module in model.named_modules():
        prefix = f"base_model.model.{name}.lora_"
        if prefix + "A.weight" in adapters:
            a, b = adapters[prefix + "A.weight"], adapters[prefix + "B.weight"]
            offset = next(offsets)

            def update(_, x, y, a=a, b=b, offset=offset):
                left = x[0]
                if dropout > 0:
                    left = left * kept(left.shape, dropout, seed, offset) / (1 - dropout)
                return y + ALPHA / RANK * (left @ a.T) @ b.T

            module.register_forward_hook(update)
    return adapters


def check_against(model, adapters, got, drops=False):
    loss, logits, _ = reference(model, got["tokens"], got["labels"])
    assert relative(got["loss"], loss) < 1e-5
    # The logits are those of an evaluation.
    assert (relative(got["logits"], logits.flatten(0, 1)) < 1e-5) != drops
    assert {n[9:] for n in got if n.startswith("gradient.")} == set(adapters)
    for name, adapter in adapters.items():
        assert relative(got["gradient." + name], adapter.grad) < 1e-4, name


@pytest.mark.parametrize("kind", TARGETS)
def test_gradients_and_the_frozen_model(kind, tmp_path):
    model = make_model(kind, tmp_path / "model").double()
    weights = write_adapter(model, kind, tmp_path / "adapter")
    words = ("--model", tmp_path / "model", "--adapter", tmp_path / "adapter", *BATCH)
    got = dump(tmp_path, *words)
    check_against(model, adapt(model, weights), got)
    for name, w in load_file(tmp_path / "model/model.safetensors").items():
        assert torch.equal(got["base." + name], w), name
    again = dump(tmp_path, *words, "--recompute")
    for name in weights:
        assert torch.equal(again["gradient." + name], got["gradient." + name]), name


def configure(folder, **changes):
    file = folder / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


@pytest.mark.parametrize("kind", TARGETS)
def test_dropout(kind, tmp_path):
    """Loss and gradients under the very masks that Philox gives; none outside of training."""
    model = make_model(kind, tmp_path / "model").double()
    weights = write_adapter(model, kind, tmp_path / "adapter")
    words = ("--model", tmp_path / "model", "--adapter", tmp_path / "adapter", *BATCH, "--seed", 3)
    plain = dump(tmp_path, *words)
    configure(tmp_path / "adapter", lora_dropout=0.3)
    got = dump(tmp_path, *words)
    assert torch.equal(got["logits"], plain["logits"]) and got["loss"] != plain["loss"]
    check_against(model, adapt(model, weights, 0.3, mixed(3) >> 1), got, drops=True)
    assert kept((999, 7), 0.3, 5, 1 << 40).double().mean() == pytest.approx(0.7, abs=0.02)
    again = dump(tmp_path, *words, "--recompute")
    for name in weights:
        assert torch.equal(again["gradient." + name], got["gradient." + name]), name


def written(*words) -> list[dict]:
    words = ("--max-new", 9, "--ignore-eos", "--logprobs", "--json", *words)
    return [json.loads(x) for x in warpath(*words, command="generate").stdout.splitlines()]


@pytest.mark.parametrize("kind", TARGETS)
def test_text_with_an_adapter_kept_apart(kind, tmp_path):
    """As the merged model writes it and as PyTorch does, by one text at a time, by several, and packed."""
    model = make_model(kind, tmp_path / "model", vocab_size=256).double()
    weights = write_adapter(model, kind, tmp_path / "run")
    configure(tmp_path / "run", lora_dropout=0.5)
    adapter = ("--model", tmp_path / "model", "--adapter", tmp_path / "run")
    warpath(*adapter, "--dtype", "f32", "--merge", tmp_path / "merged")
    prompts = ("--prompt", "the small dog", "--prompt", "a", "--prompt", "two cats see")
    merged = written("--model", tmp_path / "merged", *prompts)
    without = written("--model", tmp_path / "model", *prompts)
    adapt(model, weights)
    for apart in (written(*adapter, *prompts), written(*adapter, *prompts, "--batch", 1)):
        for line, one, other in zip(apart, merged, without, strict=True):
            assert line["ids"] == one["ids"] != other["ids"]
            assert line["logprobs"] == pytest.approx(one["logprobs"], abs=2e-4)
            ids = torch.tensor([line["prompt_ids"] + line["ids"]])
            with torch.no_grad():
                theirs = model(ids[:, :-1]).logits[0, -9:].log_softmax(-1)
            theirs = theirs.gather(1, ids[0, -9:, None])[:, 0].tolist()
            assert line["logprobs"] == pytest.approx(theirs, abs=2e-4)
    (tmp_path / "text").write_bytes(bytes(range(32, 127)))
    measure = ("--perplexity", tmp_path / "text", "--json")
    got = json.loads(warpath(*adapter, *measure, "--quantise", "int8", command="generate").stdout)
    warpath(*adapter, "--dtype", "f32", "--quantise", "int8", "--merge", tmp_path / "packed")
    for folder, loss in (("merged", "loss"), ("packed", "quantised_loss")):
        done = warpath("--model", tmp_path / folder, *measure, command="generate")
        assert got[loss] == pytest.approx(json.loads(done.stdout)["loss"], rel=1e-5)


def test_a_wrong_adapter_writes_nothing(tmp_path):
    model = make_model("llama3", tmp_path / "model", vocab_size=256)
    weights = write_adapter(model, "llama3", tmp_path / "adapter")
    make_model("llama3", tmp_path / "wide", vocab_size=256, hidden_size=60)
    file = tmp_path / "adapter/adapter_model.safetensors"
    first = next(iter(weights))

    def refused(why, model="model", **changes):
        configure(tmp_path / "adapter", **changes)
        words = ("--model", tmp_path / model, "--adapter", tmp_path / "adapter", "--prompt", "a")
        done = warpath(*words, "--max-new", 2, command="generate", status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr

    refused("is (5, 48), not (5, 60)", model="wide")
    refused("give its model, too: --model DIR --adapter", model="adapter")
    refused("no linear layer of the model is named 'nose'", target_modules=["q_proj", "nose"])
    refused("tensors that belong to no adapter", target_modules=["q_proj", "v_proj"])
    refused("'lora_dropout' is no probability", target_modules=TARGETS["llama3"], lora_dropout=1)
    save_file({n: w for n, w in weights.items() if n != first}, file)
    refused(first, lora_dropout=0)
    save_file(weights | {first: weights[first] / 0}, file)
    refused("has NaN or infinity")
    refused("'use_dora' is not computed here", use_dora=True)


@pytest.mark.parametrize("kind", TARGETS)
def test_merged_is_adapted(kind, tmp_path):
    model = make_model(kind, tmp_path / "model").double()
    weights = write_adapter(model, kind, tmp_path / "adapter")
    words = ("--model", tmp_path / "model", "--adapter", tmp_path / "adapter", "--dtype", "f32")
    warpath(*words, "--merge", tmp_path / "merged")
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").double()
    adapt(model, weights)
    tokens = torch.randint(0, 131, (2, 30), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        assert relative(merged(tokens).logits, model(tokens).logits) < 1e-5
    names = {name.removeprefix("base_model.model.").rsplit(".lora_", 1)[0] for name in weights}
    changed = load_file(tmp_path / "merged/model.safetensors")
    for name, w in load_file(tmp_path / "model/model.safetensors").items():
        adapted = name.removesuffix(".weight") in names
        assert torch.equal(changed[name], w) != adapted, name


VALUES = [-1, -0.69619280, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0]
VALUES += [0.07958030, 0.16093020, 0.24611230, 0.33791524, 0.44070983, 0.56261700, 0.72295684, 1]


def four_bits(w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The weights that NF4 leaves of w where blocks' maxima are exact, and those maxima."""
    blocks = w.double().reshape(-1, 64)
    most = blocks.abs().amax(1, keepdim=True)
    values = torch.tensor(VALUES, dtype=torch.float64)
    nearest = (blocks / most)[..., None].sub(values).abs().argmin(-1)
    return (values[nearest] * most).view_as(w), most.expand_as(blocks).reshape(w.shape)


def eight_bits(w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The weights that eight bits with a scale per row leave of w, and the rows' maxima."""
    most = w.double().abs().amax(1, keepdim=True)
    return (w.double() / most * 127).round() / 127 * most, most.expand_as(w)


@pytest.mark.parametrize(
    ("kind", "form"), [("gpt2", "nf4"), ("llama3", "nf4"), ("gpt2", "int8"), ("llama3", "int8")]
)
def test_qlora_is_lora_on_expanded_weights(kind, form, tmp_path):
    model = make_model(kind, tmp_path / "model").double()
    weights = write_adapter(model, kind, tmp_path / "adapter")
    words = ("--model", tmp_path / "model", "--adapter", tmp_path / "adapter", *BATCH)
    got = dump(tmp_path, *words, "--quantise", form)
    own = model.state_dict()
    packed = 0
    for name, w in load_file(tmp_path / "model/model.safetensors").items():
        expanded = got["base." + name]
        if w.dim() < 2 or not (".h." in name or ".layers." in name):
            assert torch.equal(expanded, w), name
            continue
        wanted, most = four_bits(w) if form == "nf4" else eight_bits(w)
        # A maximum of NF4 has eight bits of its own: a distance from the mean, to 1/64 of it where it is large.
        error = (expanded - wanted).abs() / most
        assert error.max() < (0.02 if form == "nf4" else 1e-6), name
        assert not torch.equal(expanded, w), name
        own[name] = expanded
        packed += 1
    assert packed == (8 if kind == "gpt2" else 14)
    model.load_state_dict(own)
    check_against(model, adapt(model, weights), got)
    merge = (*words[:4], "--dtype", "f32", "--quantise", form, "--merge", tmp_path / "merged")
    warpath(*merge)
    merged = AutoModelForCausalLM.from_pretrained(tmp_path / "merged").double()
    with torch.no_grad():
        theirs = merged(got["tokens"].long()).logits
    assert relative(got["logits"], theirs.flatten(0, 1)) < 1e-5


def test_steps_of_adamw(tmp_path):
    model = make_model("llama3", tmp_path / "model").double()
    weights = write_adapter(model, "llama3", tmp_path / "adapter")
    text = bytes((7 * i * i + i) % 128 for i in range(5000))
    (tmp_path / "text").write_bytes(text)
    lines = train(
        *("--model", tmp_path / "model", "--adapter", tmp_path / "adapter", "--dtype", "f32"),
        *("--data", tmp_path / "text", *SMALL, "--steps", 2, "--warmup", 2, "--rate", 1e-3),
        *("--clip", 0.5, "--seed", 5, "--out", tmp_path / "run"),
    )
    adapters = adapt(model, weights)
    optimizer = torch.optim.AdamW(adapters.values(), betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1)
    for step in range(2):
        optimizer.zero_grad()
        tokens, labels = batch_of(text, 5, step, 2, 24)
        loss = cross_entropy(model(tokens).logits.flatten(0, 1), labels.flatten())
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(adapters.values(), 0.5)
        optimizer.param_groups[0]["lr"] = 1e-3 * (step + 1) / 2
        optimizer.step()
        assert losses(lines)[step] == pytest.approx(float(loss.detach()), rel=1e-4)
        assert lines[step]["norm"] == pytest.approx(float(norm), rel=1e-4)
    saved = load_file(tmp_path / "run/step-000002/adapter_model.safetensors")
    assert saved.keys() == adapters.keys()
    for name, adapter in adapters.items():
        assert relative(saved[name], adapter.detach()) < 1e-4, name


@pytest.mark.parametrize(
    ("more", "graph"),
    [
        (("--lora-dropout", 0.25), ()),
        (("--quantise", "nf4", "--dtype", "bf16"), ()),
        (("--quantise", "nf4", "--dtype", "bf16", "--accumulate", 2), ("--graph",)),
    ],
)
def test_a_new_adapter_is_saved_as_peft_has_it_and_goes_on(more, graph, tmp_path):
    make_model("gpt2", tmp_path / "model")
    words = ("--model", tmp_path / "model", "--lora", "q,down", "--rank", 4, *SMALL, "--seed", 3)
    words = (*words, "--deterministic", "--steps", 4, *more)
    whole = train(*words, "--out", tmp_path / "a")
    folder = tmp_path / "a/step-000004"
    assert not (folder / "model.safetensors").exists()
    config = json.loads((folder / "adapter_config.json").read_text())
    assert config["peft_type"] == "LORA" and config["task_type"] == "CAUSAL_LM"
    assert (config["r"], config["lora_alpha"], config["fan_in_fan_out"]) == (4, 8, True)
    assert config["target_modules"] == ["attn.c_attn", "mlp.c_proj"]
    assert config["lora_dropout"] == (0.25 if "--lora-dropout" in more else 0)
    shapes = {n: tuple(t.shape) for n, t in load_file(folder / "adapter_model.safetensors").items()}
    prefix = "base_model.model.transformer.h.1."
    assert shapes[prefix + "attn.c_attn.lora_A.weight"] == (4, 48)
    assert shapes[prefix + "attn.c_attn.lora_B.weight"] == (144, 4)
    assert shapes[prefix + "mlp.c_proj.lora_A.weight"] == (4, 192)
    assert shapes[prefix + "mlp.c_proj.lora_B.weight"] == (48, 4)
    assert len(shapes) == 8
    words += graph
    train(*words, "--out", tmp_path / "b", "--save-every", 2)
    if graph:
        check_adapter(tmp_path / "b/step-000004", folder)
    drop_checkpoint(tmp_path / "b", 4)
    rest = train(*words, "--out", tmp_path / "b", "--resume")
    assert losses(rest) == losses(whole)[2:]
    check_adapter(tmp_path / "b/step-000004", folder)


def check_adapter(got, want):
    for name in ("adapter_model.safetensors", "optimizer.safetensors"):
        assert filecmp.cmp(got / name, want / name, shallow=False)


def test_it_learns():
    words = ("--model", "toy-bytes", "--lora", "all", "--rate", 0.01, "--steps", 20)
    lines = train(*words, "--batch", 4, "--sequence", 32, "--evaluate-every", 0)
    assert losses(lines)[-1] < losses(lines)[0] - 0.2


def test_memory_beside_full_training():
    def plan(*words):
        lines = warpath("--model", "gpt2-124m", "--batch", 1, "--memory", *words).stdout
        return {line.split()[0]: line for line in lines.splitlines() if line.strip()}

    def bytes_of(line):  # of the adapters' plan and of full training's
        return [int(w) for w in line.split() if w.isdigit() and int(w) > 4096 or w == "0"]

    lora, qlora = plan("--lora", "all"), plan("--lora", "all", "--quantise", "nf4")
    adapted, full = bytes_of(lora["gradients"])
    assert adapted < 0.02 * full and bytes_of(lora["optimizer"])[0] < 0.02 * full * 6
    assert bytes_of(qlora["parameters"])[0] < 0.6 * bytes_of(lora["parameters"])[0]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--lora", "q,nose"), "no layer 'nose'; there are qkv, o, up, down, all"),
        (("--quantise", "nf4"), "packed weights are not trained; add --lora"),
        (("--lora", "q", "--quantise", "nf3"), "nf4 and int8 are known"),
        (("--merge", "out"), "--merge needs --adapter"),
        (("--rank", 4), "--rank and --alpha belong to --lora"),
        (("--lora-dropout", 0.1), "--lora-dropout belongs to --lora"),
        (("--lora", "q", "--lora-dropout", 1), "--lora-dropout 1: from 0 to less than 1"),
        (("--lora", "q", "--lora-dropout", 0.1, "--graph"), "leave one of them out"),
        (("--adapter", "missing"), "adapter_config.json: cannot be opened"),
    ],
)
def test_refused(words, why):
    done = warpath("--model", "toy", *words, status=2)
    assert why in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"peft_type": "IA3"}, "only adapters of type LORA are read"),
        ({"r": -1}, "'r' is no rank"),
        ({"lora_alpha": "x"}, "'lora_alpha' is no factor"),
        ({"use_dora": True}, "'use_dora' is not computed here"),
        ({"rank_pattern": {"c_attn": 3}}, "'rank_pattern' is not computed here"),
        ({"target_modules": ["nose"]}, "no linear layer of the model is named 'nose'"),
        ({"r": 6}, "is (5, 48), not (6, 48)"),
    ],
)
def test_a_bad_adapter_is_refused(change, why, tmp_path):
    model = make_model("gpt2", tmp_path / "model")
    write_adapter(model, "gpt2", tmp_path / "adapter")
    configure(tmp_path / "adapter", **change)
    words = ("--model", tmp_path / "model", "--adapter", tmp_path / "adapter", *SMALL)
    done = warpath(*words, "--steps", 1, status=2)
    assert why in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
