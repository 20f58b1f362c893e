"""Text against Hugging Face's generate; sampling; what is refused."""

import json

import pytest
import torch
from conftest import make_model, warpath

PROMPTS = [b"the small dog", b"a", b"two b"]


def generate(*words, status=0):
    return warpath(*words, status=status, command="generate")


def lines(*words) -> list[dict]:
    return [json.loads(line) for line in generate("--json", *words).stdout.splitlines()]


@pytest.fixture(scope="module", params=["gpt2", "llama3"])
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    return make_model(request.param, folder, vocab_size=256).eval(), folder


def prompts(*all_of_them):
    return [word for p in all_of_them for word in ("--prompt", p.decode())]


def test_greedy(made):
    """Prompts of different lengths in one batch, each as if it were alone."""
    model, folder = made
    got = lines("--model", folder, *prompts(*PROMPTS), "--tokens", 20, "--temperature", 0)
    for line, prompt in zip(got, PROMPTS, strict=True):
        ids = torch.tensor([list(prompt)])
        want = model.generate(ids, max_new_tokens=20, do_sample=False, eos_token_id=None)
        assert line["ids"] == want[0, ids.shape[1] :].tolist()


def test_sampling(made):
    _, folder = made
    words = ("--model", folder, *prompts(PROMPTS[0]), "--tokens", 12)
    greedy = lines(*words, "--temperature", 0)
    assert lines(*words, "--seed", 3) == lines(*words, "--seed", 3)
    assert lines(*words, "--seed", 3) != lines(*words, "--seed", 4)
    for one_token in (("--top-k", 1), ("--top-p", 1e-9), ("--min-p", 1)):
        assert lines(*words, *one_token) == greedy


def test_stop(made):
    _, folder = made
    words = ("--model", folder, *prompts(PROMPTS[0]), "--tokens", 12, "--temperature", 0)
    text = lines(*words)[0]["ids"]
    if 32 <= text[3] < 127:
        stopped = lines(*words, "--stop", chr(text[3]))[0]["ids"]
        assert stopped == text[: text.index(text[3]) + 1]


def test_refused(made, tmp_path):
    _, folder = made
    for words, why in [
        (("--model", tmp_path), "no config.json"),
        (("--model", folder, "--prompt", ""), "empty --prompt"),
        (("--model", folder, "--tokens", 1000), "the model sees 40"),
        (("--model", folder, "--dtype", "f8"), "--dtype f8"),
    ]:
        done = generate(*words, status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1
