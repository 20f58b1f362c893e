"""`%%cuda` in a notebook: the cell is a .cu file, its kernels become variables.

    %load_ext warpath
    %%cuda [NAME] [--check] [OPTION ...]

With a NAME that variable holds the file, as warpath.load gives it; without one every kernel that is no
template has its own name, and templates are in `kernels`. What follows goes to the compiler.
"""

import shlex

from warpath import _load


def cuda(line: str, cell: str, variables: dict) -> None:
    words = shlex.split(line)
    check = "--check" in words
    words = [w for w in words if w != "--check"]
    name = words.pop(0) if words and words[0].isidentifier() else None
    loaded = _load.load_inline(cell, check=check, options=words)
    if name is not None:
        variables[name] = loaded
        return
    variables["kernels"] = loaded
    for kernel in loaded:
        if "<" not in kernel and "::" not in kernel:
            variables[kernel] = loaded[kernel]


def load_ipython_extension(shell) -> None:
    def magic(line: str, cell: str) -> None:
        cuda(line, cell, shell.user_ns)

    shell.register_magic_function(magic, "cell", "cuda")
