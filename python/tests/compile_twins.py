"""Compiles the Triton twins that cases of some ops call, for a Hopper GPU that need not be there: OP CASE DTYPE ...

Triton's interpreter accepts what its compiler does not: types are its own there, and branches that are never taken.
"""

import sys

import warpath
from triton.backends.compiler import GPUTarget
from triton.runtime import Autotuner, JITFunction, driver
from warpath import _cases, _twins


class Hopper:
    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device):
        return 0


compiled = []
run = JITFunction.run


def compile_only(self, *args, grid, warmup, **kwargs):
    compiled.append(run(self, *args, grid=grid, warmup=True, **kwargs))


driver.set_active(Hopper())
JITFunction.run = compile_only
Autotuner._bench = lambda self, *args, config, **kwargs: 0.0  # the first shape is as good as any
arguments = sys.argv[1:]
for name, case, dtype in zip(arguments[::3], arguments[1::3], arguments[2::3], strict=True):
    op = warpath._ops[name]
    found = next(c for c in _cases.cases(op) if c.name == case)
    data = _cases.CaseData(found, dtype)
    before = len(compiled)
    _twins.find(op)(*data.arguments(), **data.scalars)
    assert len(compiled) > before, f"{name} called no kernel"
print(*(f"{k.name}: {k.asm['ptx'].count('wgmma.mma_async')} wgmma" for k in compiled), sep="\n")
