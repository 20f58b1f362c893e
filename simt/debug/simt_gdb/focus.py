"""Looking at a CUDA thread that waits: the OS thread gets its registers, and its threadIdx, until
the program goes on."""

import gdb

from .runtime import current_block, index_of, text_of, triple, user_frame

REGISTERS = {"rsp": "stack", "rbp": "frame", "rip": "code"}


class Focus:
    def __init__(self):
        self.saved = None  # registers and threadIdx of the thread that really runs
        self.rank = None  # the thread looked at instead
        self.os_thread = None

    def on(self, block, rank):
        self.off()
        if rank != block.rank():
            context = block.thread(rank)["context"]
            if gdb.selected_inferior().architecture().name() != "i386:x86-64":
                raise gdb.GdbError("the stacks of waiting threads can be shown on x86-64 only")
            gdb.newest_frame().select()
            self.os_thread = gdb.selected_thread()
            self.rank = rank
            index = triple(gdb.parse_and_eval("threadIdx"))
            registers = {r: int(gdb.parse_and_eval("(long) $" + r)) for r in REGISTERS}
            self.saved = (registers, index)
            self.write({r: int(context[field]) for r, field in REGISTERS.items()})
            self.write_index(index_of(rank, block.size))
        frame = user_frame()
        if frame is not None:
            frame.select()

    def off(self):
        if self.saved is None:
            return
        selected = gdb.selected_thread()
        self.os_thread.switch()
        gdb.newest_frame().select()
        registers, index = self.saved
        self.saved = self.rank = None
        self.write(registers)
        self.write_index(index)
        selected.switch()

    def write(self, registers):
        for name, value in registers.items():
            gdb.execute("set $%s = %d" % (name, value), to_string=True)

    def write_index(self, index):
        for axis, value in zip("xyz", index):
            gdb.execute("set var threadIdx.%s = %d" % (axis, value), to_string=True)


focus = Focus()


def restore():
    focus.off()


# Whatever makes the program go on does so with the thread that really runs.
for command in [
    "continue",
    "next",
    "step",
    "nexti",
    "stepi",
    "finish",
    "until",
    "advance",
    "jump",
    "signal",
    "return",
    "detach",
    "kill",
    "run",
    "start",
    "call",
    "thread",
]:
    gdb.execute(f"define hook-{command}\npython simt_gdb.focus.restore()\nend")


class Speaker:
    """Says which CUDA thread a stop is in, when it is another than before."""

    def __init__(self):
        self.last = None
        self.quiet = False

    def on_stop(self, _event):
        if self.quiet:
            return
        block = current_block()
        if block is None:
            self.last = None
            return
        now = (int(block.grid["generation"]), triple(gdb.parse_and_eval("blockIdx")), block.rank())
        if now == self.last:
            return
        self.last = now
        thread = index_of(now[2], block.size)
        print(f"[CUDA block {text_of(now[1])}, thread {text_of(thread)}]")


speaker = Speaker()
gdb.events.stop.connect(speaker.on_stop)
