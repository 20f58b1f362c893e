"""docs/first-kernel.ipynb from top to bottom, as a notebook runs it: one namespace, magics by their names."""

import ast
import json
import re
import types
from pathlib import Path

import pytest
import warpath

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "first-kernel.ipynb"


class Shell:
    """What of IPython the notebook uses: %load_ext, cell magics, the value of a cell's last line."""

    def __init__(self):
        self.user_ns: dict = {}
        self.magics: dict = {}

    def register_magic_function(self, function, kind: str, name: str) -> None:
        self.magics[kind, name] = function

    def run(self, text: str) -> object:
        if text.startswith("%load_ext "):
            assert text.split() == ["%load_ext", "warpath"]
            warpath.load_ipython_extension(self)
            return None
        if text.startswith("%%"):
            line, _, cell = text[2:].partition("\n")
            name, _, options = line.partition(" ")
            return self.magics["cell", name](options, cell)
        body = ast.parse(text).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), self.user_ns)  # noqa: S102
        if last is None:
            return None
        return eval(compile(ast.Expression(last.value), "cell", "eval"), self.user_ns)


def test_notebook(capsys):
    if not NOTEBOOK.exists():
        pytest.skip("not a source tree")
    pytest.importorskip("pandas")  # for its table
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    shell = Shell()
    shown = [shell.run("".join(c["source"])) for c in cells if c["cell_type"] == "code"]
    assert len(shown) >= 8
    table = next(s for s in shown if hasattr(s, "loc"))
    assert table["passed"].all()
    printed = capsys.readouterr().out
    assert "argument 'b' is a tensor of float64" in printed
    assert "out of bounds: " in printed and re.search(r"\([abc]\[1000\]\)", printed)
    assert isinstance(shell.user_ns["wrong"], warpath.Kernels)
    assert isinstance(warpath, types.ModuleType)
    # Kept without results, so that a run does not change the file.
    assert all(not c["outputs"] for c in cells if c["cell_type"] == "code")
