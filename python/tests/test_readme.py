"""The code of README.md runs as written, from top to bottom."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def test_blocks():
    assert len(BLOCKS) >= 4
    pytest.importorskip("pandas")  # for its table
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(BLOCKS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
