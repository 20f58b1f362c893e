"""tests/bench/models/record.py on tiny models: what docs/models.md shows once it has run on a GPU."""

import json
import os
import subprocess
import sys
from pathlib import Path

from conftest import PROGRAM

RECORD = Path(__file__).parents[1] / "bench/models/record.py"


def record(*words, status=0) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, "-B", RECORD, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | {"WARPATH_PROGRAM": PROGRAM},
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_every_row_of_tiny_models(tmp_path):
    file = tmp_path / "toy.json"
    printed = record("--toy", "--output", file).stdout.splitlines()
    data = json.loads(file.read_text())
    rows = data["rows"]
    assert [row[0] for row in rows] == [
        "training of toy, 2 x 24 tokens per step",
        "training of toy-llama, 2 x 24 tokens per step",
        "toy-llama-bytes reads 32 tokens",
        "toy-llama-bytes writes one text",
        "toy-llama-bytes writes one text, NF4",
    ]
    assert len(printed) == len(rows)
    assert {len(row) for row in rows} == {len(data["columns"])}
    for row in rows[:2]:
        assert row[2] > 0 and row[4] > 0 and row[5] == row[2] / row[4]
    assert "tiny models" in data["note"] and "commit" in data["note"]
    assert [f.name for f in tmp_path.iterdir()] == ["toy.json"]


def test_what_is_no_row():
    assert "no row fast; there are gpt2, llama" in record("fast", status=2).stderr
    assert "say --output FILE" in record("nf4", status=2).stderr
