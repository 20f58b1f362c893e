"""python -m warpath compare softmax: what `./warpath compare` runs."""

import sys

import warpath
from warpath import _compare

if len(sys.argv) < 2 or sys.argv[1] != "compare":
    sys.exit("usage: python -m warpath compare OP; --help says more")
sys.exit(_compare.main(sys.argv[2:], warpath._ops))
