"""python -m warpath compare softmax: what `./warpath compare` runs; what `warpath bench --python` does; what a
call costs the host; a learner's twin, judged."""

import sys

import warpath
from warpath import _bench, _compare, _exercise, _overhead

COMMANDS = {
    "compare": _compare.main,
    "bench": _bench.main,
    "overhead": _overhead.main,
    "exercise": _exercise.main,
}

if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
    words = "compare OP | bench OP | overhead | exercise OP FILE"
    sys.exit(f"usage: python -m warpath {words}; --help says more")
sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:], warpath._ops))
