"""What the tests of the models share: tiny models, and the program."""

import filecmp
import json
import os
import pathlib
import subprocess

import pytest
import torch
from safetensors.torch import load_file, save_file
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


def make_model(kind: str, folder: pathlib.Path, seed: int = 0, noise: float = 0.1, **changes):
    """A model with random weights, written as Hugging Face writes it."""
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(config(kind, **changes))
    for p in model.parameters():  # so that norms and biases count too
        p.data += noise * torch.randn_like(p)
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


def drop_checkpoint(folder: pathlib.Path, step: int) -> None:
    """As if the run had been killed while it wrote that one: what it leaves is not whole and has another name."""
    whole = folder / f"step-{step:06}"
    partial = folder / f".{whole.name}.partial"
    whole.rename(partial)
    for file in ("optimizer.safetensors", "state.json"):
        (partial / file).unlink()


def plan(*words: str) -> dict[str, int]:
    """Bytes by purpose."""
    lines = warpath("--memory", *words).stdout.splitlines()
    rows = (line.split() for line in lines)
    return {row[0]: int(row[-1]) for row in rows if row and row[-1].isdigit()}


def relative(got: torch.Tensor, want: torch.Tensor) -> float:
    return float((got.double() - want.double()).norm() / want.double().norm().clamp_min(1e-30))


def check_slopes(folder: pathlib.Path, names: list[str], *words: str) -> None:
    """A gradient's product with a direction is the change of the loss along it: of some parameters of the model in
    `folder`, which is changed."""
    file = folder / "model.safetensors"
    weights = load_file(file)
    words = ("--model", folder, "--dtype", "f32", *words)
    got = dump(folder, *words)
    torch.manual_seed(1)
    for name in names:
        gradient = got["gradient." + name].double()
        # Half of it along the gradient: a derivative that is large enough to be seen in f32.
        direction = torch.nn.functional.normalize(torch.randn_like(gradient).flatten(), dim=0)
        direction = (direction + gradient.flatten() / gradient.norm()).view_as(gradient)
        step = 3e-3
        ends = []
        for sign in (1, -1):
            changed = weights | {name: (weights[name].double() + sign * step * direction).float()}
            save_file(changed, file)
            ends.append(float(dump(folder, *words)["loss"]))
        slope = (ends[0] - ends[1]) / (2 * step)
        wanted = float((gradient * direction).sum())
        assert wanted > 2e-3, name
        assert slope == pytest.approx(wanted, rel=0.02, abs=2e-4), name


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
