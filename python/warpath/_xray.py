"""`warpath xray` as a call: what it counted and what of that is waste, as data."""

import json
import subprocess
import tempfile
from pathlib import Path

from warpath import _build


def _program() -> Path:
    program = _build.simt_compiler().parent / "warpath"
    if not program.is_file():
        raise RuntimeError(
            "warpath.xray needs the lab, which a wheel does not have: run `./warpath xray` in a source tree once"
        )
    return program


def xray(
    what: str | Path | dict,
    *,
    op: str | None = None,
    case: str | None = None,
    dtype: str | None = None,
    blocks: int | None = None,
    gpu: str | None = None,
    registers: bool = False,
) -> dict:
    """What a kernel does to memory and what of that is waste, largest first: `["waste"][0]["sentence"]`.

    `what` is a rung ("softmax/01_naive"), a .cu file (`op` names the op that its kernel is of), a
    program built by `warpath cc --xray`, or the counts of `warpath.load(..., xray=True)`. `blocks`
    counts only so many of each launch; `gpu` names the roofline; `registers` asks nvcc for them.
    The fields are those of `warpath xray --json`; `["counts"]` has every access.
    """
    if not isinstance(what, (str, Path, dict)):
        kind = type(what).__name__
        raise TypeError(f"warpath.xray takes a rung as 'softmax/01', a file or counts, not {kind}")
    if isinstance(what, dict) and "launches" not in what:
        raise ValueError("warpath.xray: this dict has no counts; it takes what xray_counts() gave")
    if isinstance(what, dict) and not what["launches"]:
        raise ValueError("warpath.xray: the counts are of no launch; run a kernel, then take them")
    words: list[str] = []
    for flag, value in (("--op", op), ("--case", case), ("--dtype", dtype), ("--gpu", gpu)):
        if value is not None:
            words += [flag, value]
    if blocks is not None:
        words += ["--blocks", str(blocks)]
    if not registers:
        words.append("--no-registers")
    with tempfile.TemporaryDirectory() as folder:
        name = str(what)
        if isinstance(what, dict):
            file = Path(folder) / "counts.json"
            file.write_text(json.dumps(what))
            name = str(file)
        command = [str(_program()), "xray", name, "--json", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError((done.stderr or done.stdout).strip())
    return json.loads(done.stdout)
