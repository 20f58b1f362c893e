"""python -m warpath compare softmax: what `./warpath compare` runs; what `warpath bench --python` does; what a
call costs the host."""

import sys

import warpath
from warpath import _bench, _compare, _overhead

COMMANDS = {"compare": _compare.main, "bench": _bench.main, "overhead": _overhead.main}

if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
    sys.exit("usage: python -m warpath compare OP | bench OP | overhead; --help says more")
sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:], warpath._ops))
