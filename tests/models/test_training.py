"""Runs: the loss falls, the same bits again, resuming, less memory, stopping."""

import json
import os
import re
import signal
import subprocess

import pytest
import torch
from conftest import (
    BACKEND,
    PROGRAM,
    drop_checkpoint,
    losses,
    make_model,
    plan,
    same,
    train,
    warpath,
)
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


def size_of(model: str) -> tuple:
    return SMALL if model.startswith("toy") else ("--batch", 2, "--evaluate-every", 0)


@pytest.mark.parametrize(
    ("model", "dtype"),
    [
        ("toy", "f32"),
        ("toy", "bf16"),
        ("toy-llama", "bf16"),
        ("vit-tiny", "f32"),
        ("dit-tiny", "f32"),
    ],
)
def test_two_runs_and_a_resumed_one(model, dtype, tmp_path):
    words = ("--model", model, *size_of(model), "--dtype", dtype, "--deterministic")
    words += ("--steps", 4, "--seed", 3)
    whole = train(*words, "--out", tmp_path / "a")
    # The same up to the second step, and again from there on.
    assert losses(train(*words, "--out", tmp_path / "b", "--save-every", 2)) == losses(whole)
    assert same(tmp_path / "a/step-000004", tmp_path / "b/step-000004")
    drop_checkpoint(tmp_path / "b", 4)
    rest = train(*words, "--out", tmp_path / "b", "--resume")
    assert losses(rest) == losses(whole)[2:]
    assert same(tmp_path / "a/step-000004", tmp_path / "b/step-000004")
    assert sorted(f.name for f in (tmp_path / "b").iterdir()) == ["step-000002", "step-000004"]


@pytest.mark.parametrize("kind", ["gpt2", "llama3"])
def test_activations_computed_again_are_the_same(kind, tmp_path):
    """In two of three blocks: what is computed again, what is still there, and what was kept."""
    layers = {"n_layer": 3} if kind == "gpt2" else {"num_hidden_layers": 3}
    make_model(kind, tmp_path / "model", **layers)
    words = (*SMALL, "--model", tmp_path / "model", "--dtype", "f32", "--steps", 2)
    train(*words, "--out", tmp_path / "a")
    for blocks in (("2",), ()):
        train(*words, "--out", tmp_path / "b", "--recompute", *blocks)
        assert same(tmp_path / "a/step-000002", tmp_path / "b/step-000002")


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("toy", ("--dtype", "bf16", "--deterministic")),
        ("toy-llama", ("--dtype", "f32", "--accumulate", 2, "--recompute")),
    ],
)
def test_a_graph_gives_the_same_bits(model, more, tmp_path):
    """With an evaluation between steps, and when a run is resumed: then the first replay is not of the first step."""
    words = ("--model", model, *SMALL[:4], "--evaluate-every", 2, "--evaluate-batches", 1)
    words += ("--steps", 5, *more)
    plain = train(*words, "--out", tmp_path / "a")
    graph = ("--graph", "--out", tmp_path / "b")
    lines = train(*words, *graph, "--save-every", 3)
    assert results(lines) == results(plain)
    assert same(tmp_path / "a/step-000005", tmp_path / "b/step-000005")
    drop_checkpoint(tmp_path / "b", 5)
    rest = results(train(*words, *graph, "--resume"))
    assert len(rest) == 4 and rest == results(plain)[-4:]
    assert same(tmp_path / "a/step-000005", tmp_path / "b/step-000005")


def results(lines: list[dict]) -> list[tuple]:
    return [(x["step"], x.get("loss"), x.get("norm"), x.get("evaluated_loss")) for x in lines]


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
    bytes_of = plan("--model", "gpt2-124m", "--batch", 64)
    names = ["parameters", "gradients", "optimizer", "inputs", "activations", "cache", "scratch"]
    assert list(bytes_of) == [*names, "all"]
    assert sum(bytes_of[n] for n in names) == bytes_of["all"]


def test_what_computing_again_saves():
    """Blocks that compute again share one set of activations; nothing else changes."""

    def bytes_of(*words):
        return plan("--model", "gpt2-124m", "--batch", 4, *words)

    kept, blocks = bytes_of(), {n: bytes_of("--recompute", n) for n in (0, 1, 2, 7, 12)}
    one_set = kept["activations"] - blocks[2]["activations"]
    for n, its in blocks.items():
        saved = max(0, n - 1) * one_set
        assert its == kept | {
            "activations": kept["activations"] - saved,
            "all": kept["all"] - saved,
        }
    assert bytes_of("--recompute") == bytes_of("--recompute=all") == blocks[12]
    assert blocks[12]["activations"] < 0.5 * kept["activations"]
    for n, why in (("13", "gpt2-124m has 12 blocks"), ("two", "'two' is no whole number")):
        done = warpath("--model", "gpt2-124m", "--recompute", n, status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("model", ["gpt2-124m", "vit-b16", "dit-s2"])
def test_memory_of_a_graph(model):
    """Inputs of its own for each micro-batch, and nothing else."""
    plans = {
        (graph, accumulate): plan("--model", model, *graph, "--accumulate", accumulate)
        for graph in ((), ("--graph",))
        for accumulate in (1, 4)
    }
    one, four = plans[(), 1], plans[(), 4]
    assert plans[("--graph",), 1] == one
    # Micro-batches want their gradients' sum.
    more = one["gradients"] + four["scratch"] - one["scratch"]
    assert four == one | {
        "gradients": 2 * one["gradients"],
        "scratch": four["scratch"],
        "all": one["all"] + more,
    }
    more = 3 * one["inputs"]
    assert more > 0
    assert plans[("--graph",), 4] == four | {"inputs": 4 * one["inputs"], "all": four["all"] + more}


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


SIZE = r"\d+(?:\.\d)? (?:B|[KMGT]iB)"
PROGRESS = re.compile(
    r"step +(\d+)/3  loss (\d\.\d{4})  norm (\d+\.\d{3})  rate \d\.\d\de-\d\d  (\d+(?:\.\d)?) tokens/s"
    rf"(?:  \d+\.\d% of peak)?  ({SIZE})  (?:\d+:)?(\d+):(\d\d) left"
)


def test_progress():
    """A line per twentieth of the run where no one watches; the numbers are those of --json and of the plan."""
    words = (*SMALL, "--steps", 3)
    lines = warpath(*words).stdout.splitlines()
    found = [PROGRESS.fullmatch(line) for line in lines if line.startswith("step")]
    assert all(found) and [f[1] for f in found] == ["1", "2", "3"]
    assert [f[2] for f in found] == [f"{loss:.4f}" for loss in losses(train(*words))]
    table = warpath(*words, "--memory").stdout
    assert {f[5] for f in found} == {re.search(rf"all +({SIZE})", table)[1]}
    tokens = 2 * 24
    for steps_left, f in zip((2, 1, 0), found, strict=True):
        seconds = 60 * int(f[6]) + int(f[7])
        assert seconds == pytest.approx(steps_left * tokens / float(f[4]), abs=1)


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
