"""What the tests of the models share: tiny models, and the program."""

import filecmp
import json
import os
import pathlib
import subprocess

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig

PROGRAM = os.environ.get(
    "WARPATH_PROGRAM", str(pathlib.Path(__file__).parents[2] / "build/bin/warpath")
)
torch.set_num_threads(1)  # of models this small, more threads only wait for each other
# cuda: the same tests on a GPU.
BACKEND = os.environ.get("WARPATH_BACKEND", "simt")

# Sizes that fill no tile and are no powers of two.
GPT2 = {
    "vocab_size": 131,
    "n_positions": 40,
    "n_embd": 48,
    "n_layer": 2,
    "n_head": 3,
    "attn_pdrop": 0.0,
    "embd_pdrop": 0.0,
    "resid_pdrop": 0.0,
}
LLAMA = {
    "vocab_size": 131,
    "max_position_embeddings": 40,
    "hidden_size": 48,
    "intermediate_size": 88,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "head_dim": 16,
}
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}


def config(kind: str, **changes):
    if kind == "gpt2":
        return GPT2Config(**GPT2 | changes)
    if kind == "llama3":
        return LlamaConfig(**LLAMA | {"rope_parameters": LLAMA3_ROPE} | changes)
    return LlamaConfig(**LLAMA | {"tie_word_embeddings": True} | changes)


def make_model(kind: str, folder: pathlib.Path, seed: int = 0, **changes):
    """A model with random weights, written as Hugging Face writes it."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config(kind, **changes))
    for p in model.parameters():  # so that norms and biases count too
        p.data += 0.1 * torch.randn_like(p)
    model.save_pretrained(folder)
    return model


def warpath(*words: str, status: int = 0, command="train") -> subprocess.CompletedProcess:
    done = subprocess.run(
        [PROGRAM, command, "--backend", BACKEND, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=550,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def train(*words: str) -> list[dict]:
    """The lines of a run: steps and evaluations."""
    return [json.loads(line) for line in warpath("--json", *words).stdout.splitlines()]


def losses(lines: list[dict]) -> list[float]:
    return [line["loss"] for line in lines if "loss" in line]


def same(a: pathlib.Path, b: pathlib.Path) -> bool:
    """Whether two checkpoints have the same bits."""
    files = ["model.safetensors", "optimizer.safetensors"]
    return all(filecmp.cmp(a / name, b / name, shallow=False) for name in files)


def dump(folder: pathlib.Path, *words: str) -> dict[str, torch.Tensor]:
    file = folder / "dump.safetensors"
    warpath("--json", "--dump", file, *words)
    return load_file(file)


@pytest.fixture
def run_folder(tmp_path):
    return tmp_path / "run"
