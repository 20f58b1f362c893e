"""Runs a notebook from top to bottom and stores what its cells show, without Jupyter:

    ./warpath python tests/notebook.py docs/first-kernel.ipynb

One namespace, magics by their names, the value of a cell's last line; as a notebook shows them.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path

import warpath


class Shell:
    """What of IPython the notebook uses."""

    def __init__(self):
        self.user_ns: dict = {}
        self.magics: dict = {}

    def register_magic_function(self, function, kind: str, name: str) -> None:
        self.magics[kind, name] = function

    def run(self, text: str) -> object:
        if text.startswith("%load_ext "):
            if text.split() != ["%load_ext", "warpath"]:
                raise ValueError(f"no such extension here: {text}")
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


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _shown(value: object, count: int) -> dict:
    text = value.to_string() if hasattr(value, "to_string") else repr(value)  # all of a table
    data = {"text/plain": _lines(text)}
    if hasattr(value, "_repr_html_"):
        data["text/html"] = _lines(value._repr_html_())
    return {"output_type": "execute_result", "execution_count": count, "data": data, "metadata": {}}


def run(cells: list[dict]) -> tuple[Shell, list[object], list[list[dict]]]:
    """The shell, the value of each code cell, and its outputs as a notebook stores them."""
    shell, values, outputs = Shell(), [], []
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            values.append(shell.run("".join(cell["source"])))
        told = []
        if printed.getvalue():
            text = _lines(printed.getvalue())
            told.append({"output_type": "stream", "name": "stdout", "text": text})
        if values[-1] is not None:
            told.append(_shown(values[-1], len(values)))
        outputs.append(told)
    return shell, values, outputs


def store(path: Path) -> None:
    notebook = json.loads(path.read_text())
    _, _, outputs = run(notebook["cells"])
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    for count, (cell, told) in enumerate(zip(code, outputs, strict=True), 1):
        cell["outputs"], cell["execution_count"] = told, count
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    for name in sys.argv[1:]:
        store(Path(name))
