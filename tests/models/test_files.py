"""Damaged or hostile files are refused in one line that names them; data in other forms."""

import json
import pathlib
import struct

import numpy
import pytest
import torch
from conftest import dump, make_model, train, warpath
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

WORDS = ("--dtype", "f32", "--batch", 2, "--sequence", 24, "--steps", 1, "--evaluate-every", 0)
TENSOR = "transformer.h.0.ln_1.weight"


def rewritten(file: pathlib.Path, change) -> None:
    data = file.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    change(header)
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])


def overlap(header):
    names = [n for n in header if n != "__metadata__" and header[n]["shape"] == [48]]
    header[names[1]]["data_offsets"] = header[names[0]]["data_offsets"]


def set_field(field, value):
    return lambda header: header[TENSOR].__setitem__(field, value)


HEADERS = {
    "overlap": (overlap, "overlap"),
    "huge shape": (set_field("shape", [1 << 60, 1 << 10]), TENSOR),
    "negative": (set_field("shape", [-48]), TENSOR),
    "other shape": (set_field("shape", [6, 8]), "is (6, 8), not (48)"),
    "offsets": (set_field("data_offsets", [0, 1 << 50]), "outside of the file"),
    "backwards": (set_field("data_offsets", [192, 0]), "outside of the file"),
    "type": (set_field("dtype", "F7"), "unknown type"),
    "other type": (set_field("dtype", "I32"), "no float type"),
    "text as size": (set_field("shape", ["48"]), TENSOR),
    "no offsets": (lambda h: h[TENSOR].pop("data_offsets"), TENSOR),
    "missing": (lambda h: h.pop(TENSOR), f"has no tensor '{TENSOR}'"),
    "array": (lambda h: h.__setitem__(TENSOR, [1]), TENSOR),
}


def refused(folder: pathlib.Path, *words) -> str:
    done = warpath("--model", folder, *WORDS, "--json", *words, status=2)
    assert len(done.stderr.splitlines()) == 1 and done.stdout == ""
    return done.stderr


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    make_model("gpt2", folder)
    return folder


@pytest.fixture
def copy(model_folder, tmp_path):
    for file in model_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


@pytest.mark.parametrize("name", HEADERS)
def test_headers(name, copy):
    change, expected = HEADERS[name]
    rewritten(copy / "model.safetensors", change)
    line = refused(copy)
    assert "model.safetensors" in line and expected in line


def test_damage(copy):
    file = copy / "model.safetensors"
    whole = file.read_bytes()
    for damaged in (
        b"",
        whole[:4],
        whole[:100],
        whole[:-100],
        struct.pack("<Q", 1 << 62) + whole[8:],
        struct.pack("<Q", 7) + b"not jso" + whole[15:],
    ):
        file.write_bytes(damaged)
        assert "model.safetensors" in refused(copy)


def test_nan_in_weights(copy):
    weights = load_file(copy / "model.safetensors")
    weights[TENSOR][3] = float("nan")
    save_file(weights, copy / "model.safetensors")
    assert f"'{TENSOR}' has NaN" in refused(copy)


@pytest.mark.parametrize(
    "change",
    [
        {"n_embd": 1 << 60},
        {"n_head": 0},
        {"n_head": 5},
        {"n_layer": "two"},
        {"vocab_size": -1},
        {"model_type": "mamba"},
        {"activation_function": "relu"},
    ],
    ids=lambda c: next(iter(c)),
)
def test_configurations(change, copy):
    file = copy / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    assert "config.json" in refused(copy)
    file.write_text("{")
    assert "config.json" in refused(copy)


@pytest.mark.parametrize("model", ["toy", "toy-llama"])
def test_hugging_face_reads_a_checkpoint(model, tmp_path):
    train("--model", model, *WORDS, "--out", tmp_path / "run")
    folder = tmp_path / "run/step-000001"
    theirs = AutoModelForCausalLM.from_pretrained(folder)
    got = dump(tmp_path, "--model", folder, *WORDS)
    logits = theirs(got["tokens"].long()).logits.detach().flatten(0, 1)
    torch.testing.assert_close(got["logits"], logits, rtol=1e-4, atol=1e-4)


def test_shards(tmp_path):
    folder = tmp_path / "shards"
    folder.mkdir()
    tokens = (numpy.arange(900) * 17 % 251).astype("<u2")
    header = numpy.zeros(256, "<i4")
    header[:3] = 20240520, 1, 500
    (folder / "0.bin").write_bytes(header.tobytes() + tokens[:500].tobytes())
    (folder / "1.bin").write_bytes(tokens[500:].tobytes())
    text = tmp_path / "text"
    text.write_bytes(tokens.astype("u1").tobytes())
    a = train(*WORDS, "--data", folder)
    assert a[0]["loss"] == train(*WORDS, "--data", text)[0]["loss"]
    (folder / "1.bin").write_bytes(b"abc")
    assert "half a token" in warpath(*WORDS, "--data", folder, status=2).stderr
    header[2] = 501
    (folder / "0.bin").write_bytes(header.tobytes() + tokens[:500].tobytes())
    assert "another size" in warpath(*WORDS, "--data", folder, status=2).stderr
    tokens[3] = 256
    (folder / "0.bin").write_bytes(tokens.tobytes())
    (folder / "1.bin").unlink()
    assert "token 256" in warpath(*WORDS, "--data", folder, status=2).stderr
    text.write_bytes(b"short")
    assert "want at least" in warpath(*WORDS, "--data", text, status=2).stderr
