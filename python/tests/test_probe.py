"""What a contract can say and no op of ops/ says yet; and an installation that is not whole."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import warpath


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-B", *command],
        env=os.environ | {"WARPATH_LIB": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_probe():
    folder = Path(warpath.__file__).parents[1] / "probe"
    if not folder.exists():
        pytest.skip("an installed package has no probe ops")
    done = run(folder, str(Path(__file__).with_name("probe_calls.py")))
    assert done.returncode == 0, done.stderr


def test_broken_library(tmp_path):
    (tmp_path / "odd_simt.so").write_text("not a library")
    done = run(tmp_path, "-c", "import warpath; print(warpath.ops())")
    assert done.stdout == "[]\n"
    assert "a library was left out" in done.stderr and "odd_simt.so" in done.stderr
