"""What a contract can say and no op of ops/ says yet, from a folder that is nowhere named; when libraries are opened;
an installation that is not whole."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import warpath

PACKAGE = Path(warpath.__file__).parent
TESTS = Path(__file__).parent


def run(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-B", *command],
        env=os.environ | {"WARPATH_LIB": str(folder)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_probe():
    """The folder tests/ops/testing/probe with its gradient and its module, as one more folder of ops/ would be."""
    folder = PACKAGE.parent / "probe"
    if not folder.exists():
        pytest.skip("an installed package has no probe ops")
    done = run(folder, str(TESTS / "probe_calls.py"), WARPATH_ROOT=str(TESTS))
    assert done.returncode == 0, done.stderr


# Which kernel libraries and runtimes this process has opened.
OPENED = """
import re
def opened():
    with open("/proc/self/maps") as maps:
        found = re.findall(r"(\\w+_(?:simt|cuda)|libsimt|libcudart)[.]so", maps.read())
    return sorted(set(found))
"""


def test_import_opens_no_kernels():
    calls = """
import torch, warpath
from concurrent.futures import ThreadPoolExecutor
before = opened()
x = torch.randn(4, 30)
assert warpath.softmax.__doc__ and warpath.softmax(x.to("meta")).shape == x.shape
assert opened() == before and not [n for n in before if n.endswith("_simt")], opened()
with ThreadPoolExecutor(8) as pool:  # all of them at the first call
    for y in pool.map(lambda _: warpath.softmax(x), range(8)):
        torch.testing.assert_close(y, torch.softmax(x, -1))
now = [n for n in opened() if n not in before]
assert now == ["libsimt", "runtime_simt", "softmax_simt"], now
assert warpath.rungs("reduce") and "reduce_simt" in opened()
"""
    done = run(PACKAGE / "lib", "-c", OPENED + calls)
    assert done.returncode == 0, done.stderr


def test_broken_library(tmp_path):
    for name in ("odd_simt.so", "bad_host.so"):
        (tmp_path / name).write_text("not a library")
    done = run(tmp_path, "-c", "import warpath; print(warpath.ops())")
    assert done.stdout == "[]\n"
    assert done.stderr.count("a library was left out") == 2
    assert "odd_simt.so: there is no odd_host.so beside it" in done.stderr
    assert "bad_host.so: " in done.stderr


def test_broken_kernels(tmp_path):
    """Known at import, refused at the call, and again at the next one."""
    shutil.copy(PACKAGE / "lib" / "vector_add_host.so", tmp_path)
    call = "import torch, warpath\nprint(warpath.ops(), warpath.rungs('vector_add', 'cuda'))\n"
    call += """
for _ in range(2):
    try:
        warpath.vector_add(torch.ones(3), torch.ones(3))
    except RuntimeError as why:
        print(why)
"""
    done = run(tmp_path, "-c", call)
    lines = done.stdout.splitlines()
    assert lines[0] == "['vector_add'] []" and done.stderr == ""
    assert (
        sum("vector_add: this installation has no libraries for the CPU" in s for s in lines) == 2
    )
    (tmp_path / "vector_add_simt.so").write_text("not a library")
    done = run(tmp_path, "-c", call)
    told = "warpath::vector_add: its kernels for the CPU cannot be opened: "
    assert sum(told in s and "vector_add_simt.so" in s for s in done.stdout.splitlines()) == 2
    done = run(tmp_path, "-c", "import warpath; warpath.rungs('vector_add')")
    assert f"RuntimeError: {told}" in done.stderr
