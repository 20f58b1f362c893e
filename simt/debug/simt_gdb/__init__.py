"""gdb's commands for CUDA threads: loaded by `warpath debug` into gdb, used with programs that
`warpath cc -G` made.

    info cuda threads    where each thread of the block stands
    info cuda blocks     which blocks have ended, run, or have not begun
    cuda thread 33       look at a thread: its stack, locals and threadIdx
    cuda block 2,0       look at a block that runs on another OS thread
    cuda continue        go on until the thread that is looked at runs again
"""

from . import commands, focus, frames, printers, start  # noqa: F401 (each registers its commands)
