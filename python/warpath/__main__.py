"""python -m warpath compare softmax: what `./warpath compare` runs; and what `warpath bench --python` does."""

import sys

import warpath
from warpath import _bench, _compare

COMMANDS = {"compare": _compare.main, "bench": _bench.main}

if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
    sys.exit("usage: python -m warpath compare OP; --help says more")
sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:], warpath._ops))
