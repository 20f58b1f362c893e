"""docs/first-kernel.ipynb from top to bottom, as a notebook runs it; and what is stored in it is what its cells show."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
import torch
import warpath

TREE = Path(__file__).resolve().parents[2]
NOTEBOOK = TREE / "docs" / "first-kernel.ipynb"


def runner():
    spec = importlib.util.spec_from_file_location("notebook", TREE / "tests" / "notebook.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text_of(outputs: list[dict]) -> str:
    """What cells show, without what differs from run to run: numbers of a table, and times."""
    parts = []
    for told in outputs:
        if told["output_type"] == "stream":
            parts.append("".join(told["text"]))
        else:
            shown = "".join(told["data"]["text/plain"])
            parts.append(" ".join(re.sub(r"-?\d[\d.e+-]*|NaN", "#", shown).split()))
    return "\n".join(parts)


def test_notebook():
    if not NOTEBOOK.exists():
        pytest.skip("not a source tree")
    pytest.importorskip("pandas")  # for its table
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    shell, shown, outputs = runner().run(cells)
    assert len(shown) >= 8
    table = next(s for s in shown if hasattr(s, "loc"))
    assert table["passed"].all()
    printed = "\n".join(text_of(told) for told in outputs)
    assert "argument 'b' is a tensor of float64" in printed
    assert "out of bounds: " in printed and re.search(r"\([abc]\[1000\]\)", printed)
    assert isinstance(shell.user_ns["wrong"], warpath.Kernels)
    if torch.cuda.is_available():
        return  # stored are those of a machine without a GPU
    stored = [c["outputs"] for c in cells if c["cell_type"] == "code"]
    again = "./warpath python tests/notebook.py docs/first-kernel.ipynb"
    assert [text_of(s) for s in stored] == [text_of(o) for o in outputs], f"stale; {again}"


def test_stored_outputs_name_no_folder():
    stored = NOTEBOOK.read_text() if NOTEBOOK.exists() else ""
    for place in (
        "/home/",
        "/root",
        "/tmp/",
        "/work",
        "site-packages",
        str(TREE),
        str(Path.home()),
    ):
        assert place not in stored
