"""Text against Hugging Face's; many prompts at a time; sampling; ends of texts; perplexity."""

import json
import math
import signal
import subprocess

import pytest
import torch
from conftest import BACKEND, PROGRAM, make_model, warpath
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM

PROMPTS = [b"the small dog", b"a", b"two b"]
PAGE = 64 if BACKEND == "cuda" else 16  # tokens of a page of the cache


def generate(*words, status=0):
    return warpath(*words, status=status, command="generate")


def lines(*words) -> list[dict]:
    return [json.loads(line) for line in generate("--json", *words).stdout.splitlines()]


@pytest.fixture(scope="module", params=["gpt2", "llama3"])
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    return make_model(request.param, folder, vocab_size=256).eval(), folder


@pytest.fixture(scope="module")
def lettered(tmp_path_factory):
    """A model whose tokens are letters and pairs of them: whatever it writes is readable."""
    folder = tmp_path_factory.mktemp("lettered")
    letters = "abcdefghij\u0120"  # the last one is a space
    vocabulary = [*letters, *(a + b for a in letters for b in letters)]
    merges = [(a, b) for a in letters for b in letters]
    tokenizer = Tokenizer(models.BPE({v: i for i, v in enumerate(vocabulary)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))
    model = make_model("gpt2", folder, vocab_size=len(vocabulary), n_positions=3000)
    return model.eval(), tokenizer, folder


def prompts(*all_of_them):
    return [word for p in all_of_them for word in ("--prompt", p.decode())]


def by_hugging_face(model, prompt: bytes, count: int, **words) -> list[int]:
    ids = torch.tensor([list(prompt)])
    model.generation_config.eos_token_id = None
    want = model.generate(ids, max_new_tokens=count, do_sample=False, **words)
    return want[0, ids.shape[1] :].tolist()


@pytest.mark.parametrize("chunk", [3, 64])
def test_greedy(made, chunk):
    """Prompts of different lengths, more of them than places, each as if it were alone."""
    model, folder = made
    words = ("--max-new", 20, "--temperature", 0, "--ignore-eos", "--batch", 2, "--chunk", chunk)
    got = lines("--model", folder, *prompts(*PROMPTS), *words)
    for line, prompt in zip(got, PROMPTS, strict=True):
        assert line["ids"] == by_hugging_face(model, prompt, 20)
        assert line["ended"] == "length" and line["prompt_ids"] == list(prompt)


@pytest.mark.parametrize("chunk", [1, 5, 64])
def test_logits_of_a_prompt(made, chunk):
    """Token by token, with what the cache has behind a first chunk, and all at once: as Hugging Face's."""
    model, folder = made
    texts = (b"0123456789012345", b"the small", b"a")
    words = ("--max-new", 2, "--ignore-eos", "--logprobs", "--chunk", chunk, "--seed", 4)
    for line in lines("--model", folder, *prompts(*texts), *words):
        ids = torch.tensor([line["prompt_ids"] + line["ids"]])
        want = model(ids[:, :-1]).logits.detach()[0, -2:].double().log_softmax(-1)
        want = want.gather(1, ids[0, -2:, None])[:, 0].tolist()
        assert line["logprobs"] == pytest.approx(want, abs=2e-5)


def test_repetition_penalty(made):
    model, folder = made
    words = ("--max-new", 12, "--temperature", 0, "--ignore-eos", "--repetition-penalty", 1.5)
    got = lines("--model", folder, *prompts(PROMPTS[0]), *words)[0]["ids"]
    assert got == by_hugging_face(model, PROMPTS[0], 12, repetition_penalty=1.5)
    assert got != by_hugging_face(model, PROMPTS[0], 12)


MANY = [b"the small dog sees", b"a", b"two birds", b"every cat is he", b"0123456789012345", b"no"]


@pytest.mark.parametrize(
    ("kind", "places"), [("gpt2", "n_positions"), ("llama3", "max_position_embeddings")]
)
def test_what_is_beside_a_text_does_not_change_it(kind, places, tmp_path):
    """Places and pages change hands, texts move to the host and back; every bit stays."""
    make_model(kind, tmp_path, vocab_size=256, **{places: 3 * PAGE})
    count = 2 * PAGE - 2  # so that most texts have three pages
    words = ("--model", tmp_path, "--max-new", count, "--ignore-eos", "--logprobs", "--chunk", 7)
    words += ("--batch", 3)
    together = lines(*words, *prompts(*MANY), "--seed", 5)
    assert all(line["moves"] == 0 for line in together)
    # Three texts at a time want eight or nine.
    crowded = lines(*words, *prompts(*MANY), "--seed", 5, "--pages", 5)
    assert sum(line["moves"] for line in crowded) > 0
    for i, (line, other) in enumerate(zip(together, crowded, strict=True)):
        assert line["seed"] == 5 + i and len(line["ids"]) == count
        assert line["ids"] == other["ids"] and line["logprobs"] == other["logprobs"]
    for i in (0, 3, 5):
        alone = lines(*words, *prompts(MANY[i]), "--seed", 5 + i)[0]
        assert alone["ids"] == together[i]["ids"] and alone["logprobs"] == together[i]["logprobs"]


def test_texts_of_different_lengths_take_turns(lettered):
    """Ended texts make way: a stop ends some early, and every prompt has its own text, in order."""
    _, tokenizer, folder = lettered
    texts = [a + b for a in "abcdef" for b in "gh"]
    words = ("--model", folder, "--max-new", 30, "--stop", "aa", "--stop", "b ", "--seed", 2)
    words += ("--chunk", 4, *(w for t in texts for w in ("--prompt", t)))
    got = lines(*words, "--batch", 3)
    assert [line["prompt"] for line in got] == texts
    assert {line["ended"] for line in got} == {"stop", "length"}
    for line in got:
        whole = tokenizer.decode(line["ids"])
        assert whole.startswith(line["text"])
        assert tokenizer.encode(line["prompt"]).ids == line["prompt_ids"]
        ends = [line["text"].find(s) for s in ("aa", "b ")]
        assert (line["ended"] == "stop") == (max(ends) >= 0)
    assert [line["ids"] for line in lines(*words, "--batch", 5)] == [line["ids"] for line in got]


def test_sampling(made):
    _, folder = made
    words = ("--model", folder, *prompts(PROMPTS[0]), "--max-new", 12)

    def ids(*more):
        return lines(*words, *more)[0]["ids"]

    greedy = ids("--temperature", 0)
    assert ids("--seed", 3) == ids("--seed", 3)
    assert ids("--seed", 3) != ids("--seed", 4)
    for one_token in (("--top-k", 1), ("--top-p", 1e-9), ("--min-p", 1)):
        assert ids(*one_token) == greedy


def test_the_likeliest_token_is_found_on_the_device(made, tmp_path):
    """One op more per token, the same tokens as on the host; logits that are no numbers end the text."""
    model, folder = made
    words = ("--model", folder, *prompts(*PROMPTS), "--max-new", 9, "--ignore-eos", "--batch", 2)
    here = lines(*words, "--top-k", 1)
    there = lines(*words, "--temperature", 0)
    for line, other in zip(here, there, strict=True):
        assert line["ids"] == other["ids"]
        assert line["calls_per_token"] + 1 == other["calls_per_token"]
    beside = lines(*words, "--temperature", 0, "--logprobs")[0]
    assert beside["calls_per_token"] == here[0]["calls_per_token"]
    if "llama" in type(model).__name__.lower():
        return
    # The position behind the prompt has an embedding whose mean overflows.
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(folder / "model.safetensors")
    weights["transformer.wpe.weight"][len(PROMPTS[0])] = 3e38
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    words = ("--model", tmp_path, *prompts(PROMPTS[0]), "--ignore-eos")
    for more in (("--temperature", 0), ("--top-k", 1)):
        generate(*words, *more, "--max-new", 1)
        done = generate(*words, *more, "--max-new", 2, status=2)
        assert "the model's logits are no numbers" in done.stderr


def test_which_tokens_are_drawn(made, tmp_path):
    """First tokens of many seeds against the probabilities that PyTorch computes."""
    model, folder = made
    p = model(torch.tensor([list(b"dog")])).logits[0, -1].detach().div(0.7).softmax(-1)
    order = p.argsort(descending=True).tolist()
    before = p[order].cumsum(0) - p[order]
    kept = {
        ("--top-k", 4): order[:4],
        ("--top-p", 0.5): [t for t, b in zip(order, before.tolist(), strict=True) if b < 0.5],
        ("--min-p", 0.3): [t for t in order if p[t] >= 0.3 * p[order[0]]],
    }
    (tmp_path / "prompts").write_text("dog\n" * 80)
    words = ("--model", folder, "--prompts", tmp_path / "prompts", "--max-new", 1, "--chunk", 3)
    words += ("--temperature", 0.7)
    free = [line["ids"][0] for line in lines(*words)]
    for flag, tokens in kept.items():
        drawn = [line["ids"][0] for line in lines(*words, *flag)]
        assert set(drawn) <= set(tokens) and not set(free) <= set(tokens)
        share = p[tokens] / p[tokens].sum()
        seen = torch.tensor([drawn.count(t) / len(drawn) for t in tokens])
        assert (share - seen).abs().max() < 4 * math.sqrt(0.25 / len(drawn))


def test_stop_across_tokens(lettered):
    _, tokenizer, folder = lettered
    words = ("--model", folder, "--prompt", "ab", "--max-new", 40, "--seed", 4)
    whole = lines(*words)[0]
    pieces = [tokenizer.decode([i]) for i in whole["ids"]]
    assert "".join(pieces) == whole["text"]
    # From the last letter of one token to the first of the next, where that one has two.
    i = next(i for i in range(5, 39) if len(pieces[i + 1]) == 2)
    stop = pieces[i][-1] + pieces[i + 1][0]
    end = whole["text"].index(stop) + 2
    got = lines(*words, "--stop", "zzz", "--stop", stop)[0]
    assert got["text"] == whole["text"][:end] and got["ended"] == "stop"
    assert got["ids"] == whole["ids"][: len(got["ids"])] and len(got["ids"]) <= i + 2


def test_end_of_text(lettered, tmp_path):
    _, tokenizer, folder = lettered
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    words = ("--model", tmp_path, "--prompt", "ab", "--max-new", 20, "--seed", 4)
    whole = lines(*words)[0]
    end = whole["ids"][7]
    ends = whole["ids"].index(end)
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [9999, end]}))
    got = lines(*words)[0]
    assert got["ids"] == whole["ids"][: ends + 1] and got["ended"] == "eos"
    assert got["text"] == tokenizer.decode(whole["ids"][:ends])
    assert lines(*words, "--ignore-eos")[0]["ids"] == whole["ids"]
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": "x"}))
    assert "generation_config.json" in generate(*words, status=2).stderr


def test_prompts_from_files(lettered, tmp_path):
    _, _, folder = lettered
    (tmp_path / "p.txt").write_text("ab\n\ncd e\r\n")
    (tmp_path / "p.jsonl").write_text('{"prompt": "a b"}\n{"prompt": "j"}\n')
    words = ("--model", folder, "--max-new", 1)
    got = lines(*words, "--prompts", tmp_path / "p.txt", "--prompt", "first")
    assert [line["prompt"] for line in got] == ["first", "ab", "cd e"]
    got = lines(*words, "--prompts", tmp_path / "p.jsonl")
    assert [line["prompt"] for line in got] == ["a b", "j"]
    (tmp_path / "p.jsonl").write_text('{"prompt": "a b"}\n{"text": "j"}\n')
    done = generate(*words, "--prompts", tmp_path / "p.jsonl", status=2)
    assert "p.jsonl:2" in done.stderr
    (tmp_path / "p.txt").write_text("\n")
    assert "no prompt" in generate(*words, "--prompts", tmp_path / "p.txt", status=2).stderr


def test_text_arrives_as_it_is_written_and_ctrl_c_ends_it(lettered):
    _, _, folder = lettered
    words = ["--model", folder, "--prompt", "abc", "--prompt", "def", "--max-new", "2900"]
    run = subprocess.Popen(
        [PROGRAM, "generate", "--backend", BACKEND, *words], stdout=subprocess.PIPE, text=True
    )
    head = run.stdout.read(20)
    assert head.startswith("abc") and run.poll() is None
    run.send_signal(signal.SIGINT)
    rest = run.stdout.read()
    assert run.wait(60) == 0 and "interrupted: 0 of 2 texts are whole" in rest
    assert any(line.startswith("def") for line in (head + rest).splitlines())


def test_a_graph_gives_the_same_bits(made):
    _, folder = made
    words = ("--model", folder, *prompts(*MANY), "--max-new", 18, "--logprobs", "--ignore-eos")
    words += ("--batch", 2, "--chunk", 7, "--pages", 4)
    graph = lines(*words, "--graph", "on")
    assert [g["logprobs"] for g in graph] == [
        plain["logprobs"] for plain in lines(*words, "--graph", "off")
    ]


@pytest.mark.parametrize("form", [("--dtype", "f32"), ("--dtype", "bf16"), ("--quantise", "int8")])
def test_one_product_for_layers_of_one_input(tmp_path, form):
    """q, k and v in one product, gate and up in one: the bits of several, which adapters of zeros ask for."""
    model = make_model("llama3", tmp_path / "model", vocab_size=256, intermediate_size=96)
    words = ("--model", tmp_path / "model", *prompts(*MANY[:3]), "--max-new", 6, "--logprobs")
    words += ("--ignore-eos", "--batch", 2, *form)
    joined = lines(*words)
    layers = model.config.num_hidden_layers
    # A product each for q, k, v, or gate and up, and two for an adapter's matrices.
    for targets, more in ((["k_proj"], 2 + 2), (["up_proj"], 1 + 2), (["v_proj", "gate_proj"], 7)):
        folder = tmp_path / "-".join(targets)
        folder.mkdir()
        zeros = {}
        for name, module in model.named_modules():
            if name.split(".")[-1] in targets:
                outputs, inputs = module.weight.shape
                zeros[f"base_model.model.{name}.lora_A.weight"] = torch.ones(4, inputs)
                zeros[f"base_model.model.{name}.lora_B.weight"] = torch.zeros(outputs, 4)
        save_file(zeros, folder / "adapter_model.safetensors")
        config = {"peft_type": "LORA", "r": 4, "lora_alpha": 4, "target_modules": targets}
        (folder / "adapter_config.json").write_text(json.dumps(config))
        apart = lines(*words, "--adapter", folder)
        for one, other in zip(joined, apart, strict=True):
            assert one["logprobs"] == other["logprobs"] and one["ids"] == other["ids"]
            assert other["calls_per_token"] == one["calls_per_token"] + more * layers


def loss_of(model, tokens: list[int], window: int) -> float:
    sums, count = 0.0, 0
    for begin in range(0, len(tokens) - 1, window):
        ids = torch.tensor([tokens[begin : begin + window + 1]])
        logits = model(ids[:, :-1]).logits.detach()[0].double()
        sums += torch.nn.functional.cross_entropy(logits, ids[0, 1:], reduction="sum").item()
        count += ids.shape[1] - 1
    return sums / count


def test_perplexity(made, tmp_path):
    model, folder = made
    text = bytes(range(32, 127)) * 2  # 190 tokens: four windows of 40, and a part of one
    (tmp_path / "text").write_bytes(text)
    got = lines("--model", folder, "--perplexity", tmp_path / "text", "--quantise", "int8")[0]
    assert got["tokens"] == len(text) - 1 and got["window"] == 40
    assert got["loss"] == pytest.approx(loss_of(model, list(text), 40), rel=1e-5)
    assert got["perplexity"] == pytest.approx(math.exp(got["loss"]))
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(folder / "model.safetensors")
    others = ("wte", "wpe", "embed_tokens", "lm_head")
    for name, w in weights.items():
        if w.ndim == 2 and not any(o in name for o in others):
            scale = w.abs().amax(1, keepdim=True) / 127
            weights[name] = (w * (127 / w.abs().amax(1, keepdim=True))).round() * scale
    save_file(weights, tmp_path / "model.safetensors", {"format": "pt"})
    rounded = AutoModelForCausalLM.from_pretrained(tmp_path).eval()
    assert got["quantised_loss"] == pytest.approx(loss_of(rounded, list(text), 40), rel=1e-5)
    assert got["quantised_loss"] != got["loss"]
    four = lines("--model", folder, "--perplexity", tmp_path / "text", "--quantise", "nf4")[0]
    assert four["loss"] == got["loss"] and 0 < abs(four["quantised_loss"] - got["loss"]) < 0.5
    # Text by packed matrices is the text of a model that has what they stand for.
    words = ("--max-new", 8, "--temperature", 0, "--ignore-eos", *prompts(PROMPTS[0]))
    written = lines("--model", folder, "--quantise", "int8", *words)[0]["ids"]
    assert written == by_hugging_face(rounded, PROMPTS[0], 8)
    (tmp_path / "text").write_bytes(b"a")
    done = generate("--model", folder, "--perplexity", tmp_path / "text", status=2)
    assert "at least two tokens" in done.stderr


def test_weights_in_several_files(made, tmp_path):
    model, folder = made
    model.save_pretrained(tmp_path, max_shard_size="60KB")
    index = tmp_path / "model.safetensors.index.json"
    names = sorted(set(json.loads(index.read_text())["weight_map"].values()))
    assert len(names) > 1 and not (tmp_path / "model.safetensors").exists()
    words = ("--max-new", 6, "--temperature", 0, "--ignore-eos")
    assert lines("--model", tmp_path, *words) == lines("--model", folder, *words)
    j = json.loads(index.read_text())
    wrong = {"../x.safetensors": "in no file", names[0]: "is not in", 3: "in no file"}
    for name, why in wrong.items():
        last = max(k for k, v in j["weight_map"].items() if v == names[1])
        index.write_text(json.dumps({"weight_map": j["weight_map"] | {last: name}}))
        done = generate("--model", tmp_path, *words, status=2)
        assert why in done.stderr and "index.json" in done.stderr
    index.write_text("{")
    assert "index.json" in generate("--model", tmp_path, *words, status=2).stderr
    index.write_text(json.dumps(j))
    (tmp_path / names[1]).unlink()
    assert names[1] in generate("--model", tmp_path, *words, status=2).stderr


def test_refused(made, tmp_path):
    _, folder = made
    for words, why in [
        (("--model", tmp_path), "no config.json"),
        (("--model", folder, "--prompt", ""), "empty --prompt"),
        (("--model", folder, "--max-new", 1000), "the model sees 40"),
        (("--model", folder, "--max-new", 0), "--max-new"),
        (("--model", folder, "--dtype", "f8"), "--dtype f8"),
        (("--model", folder, "--max-new", 30, "--pages", 2), "33 tokens, which are 3 pages of 16"),
        (("--model", folder, "--top-p", 0), "--top-p"),
        (("--model", folder, "--min-p", 2), "--min-p"),
        (("--model", folder, "--max-new", 5, "--graph", "maybe"), "--graph maybe"),
        (("--model", folder, "--stop", ""), "--stop"),
        (("--model", folder, "--max-new", 5, "--quantise", "q"), "--quantise q"),
        (("--model", folder, "--perplexity", __file__, "--quantise", "x"), "--quantise x"),
        (("--model", folder, "--prompts", tmp_path / "none"), "none"),
    ]:
        done = generate(*words, status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
