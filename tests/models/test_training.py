"""Runs: the loss falls, the same bits again, resuming, less memory, stopping."""

import json
import os
import signal
import subprocess

import pytest
import torch
from conftest import BACKEND, PROGRAM, losses, make_model, same, train, warpath
from safetensors.torch import load_file, save_file

SMALL = ("--batch", 2, "--sequence", 24, "--evaluate-every", 0)


@pytest.mark.parametrize("model", ["toy", "toy-llama"])
def test_the_loss_falls(model):
    lines = train("--model", model, "--steps", 30, "--evaluate-every", 30)
    first, last = losses(lines)[0], losses(lines)[-1]
    assert first == pytest.approx(4.007, abs=0.15)  # log of 55 words
    assert last < 2.9
    evaluated = [line["evaluated_loss"] for line in lines if "evaluated_loss" in line]
    assert len(evaluated) == 1 and evaluated[0] < 2.9


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_two_runs_and_a_resumed_one(dtype, tmp_path):
    words = (*SMALL, "--dtype", dtype, "--deterministic", "--steps", 4, "--seed", 3)
    whole = train(*words, "--out", tmp_path / "a")
    assert losses(train(*words, "--out", tmp_path / "b")) == losses(whole)
    assert same(tmp_path / "a/step-000004", tmp_path / "b/step-000004")
    train(*words, "--out", tmp_path / "c", "--save-every", 2)
    for file in (tmp_path / "c/step-000004").iterdir():
        file.unlink()
    (tmp_path / "c/step-000004").rmdir()
    rest = train(*words, "--out", tmp_path / "c", "--resume")
    assert losses(rest) == losses(whole)[2:]
    assert same(tmp_path / "a/step-000004", tmp_path / "c/step-000004")


@pytest.mark.parametrize("model", ["toy", "toy-llama"])
def test_activations_computed_again_are_the_same(model, tmp_path):
    words = (*SMALL, "--model", model, "--steps", 3)
    train(*words, "--out", tmp_path / "a")
    train(*words, "--recompute", "--out", tmp_path / "b")
    assert same(tmp_path / "a/step-000003", tmp_path / "b/step-000003")


@pytest.mark.parametrize("more", [("--accumulate", 2), ("--dtype", "bf16", "--deterministic")])
def test_a_graph_gives_the_same_bits(more, tmp_path):
    words = (*SMALL, "--steps", 4, *more)
    train(*words, "--out", tmp_path / "a")
    train(*words, "--graph", "--out", tmp_path / "b")
    assert same(tmp_path / "a/step-000004", tmp_path / "b/step-000004")


def test_micro_batches_are_one_batch():
    """The mean of two losses, and the norm of their gradients' mean."""
    one = train("--steps", 1, "--batch", 4, "--sequence", 24, "--evaluate-every", 0)
    two = train("--steps", 1, "--batch", 2, "--accumulate", 2, *SMALL[2:])
    assert losses(two) == pytest.approx(losses(one), rel=1e-5)
    assert two[0]["norm"] == pytest.approx(one[0]["norm"], rel=1e-4)


def test_a_resumed_run_must_be_the_same(run_folder):
    train(*SMALL, "--steps", 2, "--out", run_folder)
    done = warpath(*SMALL, "--steps", 4, "--out", run_folder, "--resume", status=2)
    assert "this run has steps 4, the checkpoint 2" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_memory_plan():
    plan = warpath("--model", "gpt2-124m", "--batch", 64, "--memory").stdout
    for purpose in ("parameters", "gradients", "optimizer", "activations", "scratch", "all"):
        assert purpose in plan

    def activations(*words):
        lines = warpath("--model", "gpt2-124m", "--batch", 4, "--memory", *words).stdout
        return int(next(x for x in lines.splitlines() if "activations" in x).split()[-1])

    assert activations("--recompute") < 0.5 * activations()


def test_interrupt_saves(run_folder):
    words = [PROGRAM, "train", "--backend", BACKEND, "--json", "--steps", "2000", *map(str, SMALL)]
    child = subprocess.Popen(
        [*words, "--out", str(run_folder)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    json.loads(child.stdout.readline())  # the first step is done
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 0
    checkpoint = next(run_folder.iterdir())
    state = json.loads((checkpoint / "state.json").read_text())
    assert checkpoint.name == f"step-{state['step']:06}" and 1 <= state["step"] < 2000


def test_nan_names_the_step_and_the_layer(tmp_path):
    make_model("gpt2", tmp_path / "model")
    file = tmp_path / "model/model.safetensors"
    weights = load_file(file)
    name = "transformer.h.1.mlp.c_fc.weight"
    weights[name] = torch.full_like(weights[name], 3e38)  # finite, but its products are not
    save_file(weights, file)
    done = warpath("--model", tmp_path / "model", *SMALL, "--dtype", "f32", "--steps", 3, status=1)
    assert "step 1: the loss is" in done.stderr
    assert "transformer.h.1.mlp.before" in done.stderr


def test_plots_and_profile(tmp_path):
    done = warpath(*SMALL, "--steps", 3, "--svg", tmp_path / "loss.svg")
    assert "next:" in done.stdout and "└ step 1 to 3" in done.stdout
    svg = (tmp_path / "loss.svg").read_text()
    assert svg.startswith("<svg") and svg.rstrip().endswith("</svg>")
    profile = json.loads(warpath(*SMALL, "--profile", "--json").stdout)
    assert {row["op"].split()[0] for row in profile["profile"]} >= {"matmul", "attention", "adamw"}


def block(*words):
    costs = json.loads(warpath("--block", "--json", *words).stdout)
    return {k: ([row["op"] for row in rows], rows) for k, rows in costs.items()}


def test_costs_of_one_block():
    """By formulas: C = 768, 4 x 1024 tokens, 12 heads, two bytes per number."""
    n, c, t, heads = 4096, 768, 1024, 12
    ops = block("--model", "gpt2-124m", "--batch", 4)
    names, fused = ops["forward"]
    assert names == [
        "matmul",
        "attention",
        "matmul",
        "add_norm",
        "matmul",
        "gelu",
        "matmul",
        "add_norm",
    ]
    products = sum(row["flops"] for row in fused if row["op"] == "matmul")
    assert products == 24 * n * c * c
    names, apart = ops["apart"]
    assert len(names) == 16 and names.count("matmul") == 6
    scores = 4 * heads * t * t * 2  # bytes of one matrix of scores
    assert [row["bytes"] for row in apart if row["op"] == "softmax"] == [2 * scores]
    # Fused: no bias of its own, an addition with the norm, no scores.
    biases = 2 * n * 9 * c * 2
    least = biases + 4 * scores
    assert sum(r["bytes"] for r in apart) - sum(r["bytes"] for r in fused) > least
    backward = sum(r["flops"] for r in ops["backward"][1] if r["op"] == "matmul")
    assert backward >= 48 * n * c * c
    llama = block("--model", "llama-1b", "--batch", 1)
    assert llama["forward"][0] == (
        [
            "matmul",
            "matmul",
            "matmul",
            "rope",
            "attention",
            "matmul",
            "add_norm",
            "matmul",
            "matmul",
            "swiglu",
            "matmul",
            "add_norm",
        ]
    )
