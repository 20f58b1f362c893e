"""The commands `info cuda ...` and `cuda ...`."""

import gdb

from .focus import focus
from .runtime import (
    current_block,
    fits,
    index_of,
    linear,
    name_of,
    need_block,
    place_of,
    ranges,
    text_of,
    triple,
    user_frame,
    volume,
)


def parse_index(text):
    """ "2", "2,0" or "(2,0,0)" as three numbers."""
    try:
        parts = [int(part) for part in text.strip(" ()").split(",")]
    except ValueError:
        parts = []
    if not 1 <= len(parts) <= 3 or min(parts) < 0:
        raise gdb.GdbError(f"'{text}' is no index; write x or x,y or x,y,z")
    return tuple(parts + [0] * (3 - len(parts)))


class Prefix(gdb.Command):
    def __init__(self, name, kind, text):
        self.__doc__ = text
        super().__init__(name, kind, prefix=True)


Prefix("cuda", gdb.COMMAND_RUNNING, "CUDA threads: start, thread, block, continue.")
Prefix("info cuda", gdb.COMMAND_STATUS, "CUDA threads: threads, blocks.")


class InfoThreads(gdb.Command):
    """Where each thread of the block stands: info cuda threads"""

    def __init__(self):
        super().__init__("info cuda threads", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        block = need_block()
        looked_at = focus.rank if focus.rank is not None else block.rank()
        groups = {}
        for rank in range(block.count):
            what, place = block.state(rank)
            if place is None and what in ("runs", "can go on"):
                place = place_on_stack(block, rank)
            groups.setdefault((what, place), []).append(rank)
        index = text_of(triple(gdb.parse_and_eval("blockIdx")))
        print("block %s of kernel '%s', %d threads:" % (index, block.name(), block.count))
        for (what, place), ranks in sorted(groups.items(), key=lambda item: item[1][0]):
            mark = "*" if looked_at in ranks else " "
            at = f" at {place}" if place else ""
            print("%s %-12s %s%s" % (mark, ranges(ranks), what, at))
        if block.size[1:] != (1, 1):
            print("(numbers count x first, then y, then z)")


def place_on_stack(block, rank):
    """The line in the program's own files that a thread stands in."""
    before, frame = focus.rank, gdb.selected_frame()
    focus.on(block, rank)
    found = user_frame()
    place = place_of(found) if found is not None else None
    if before is not None:
        focus.on(block, before)
    else:
        focus.off()
        if frame.is_valid():
            frame.select()
    return place


class InfoBlocks(gdb.Command):
    """Which blocks of the grid have ended, run, or have not begun: info cuda blocks"""

    def __init__(self):
        super().__init__("info cuda blocks", gdb.COMMAND_STATUS)

    def invoke(self, _argument, _from_tty):
        block = need_block()
        size = triple(block.config["grid"])
        selected = gdb.selected_thread()
        running = {}
        for thread, index in running_blocks(int(block.grid.address)):
            running[linear(index, size)] = (thread, index)
        selected.switch()
        names = (text_of(size), block.name(), text_of(block.size))
        print("grid {} of kernel '{}', blocks of {}:".format(*names))
        here = linear(triple(gdb.parse_and_eval("blockIdx")), size)
        for number, (thread, index) in sorted(running.items()):
            mark = "*" if number == here else " "
            print("%s %-14s runs on OS thread %d" % (mark, text_of(index), thread.num))
        # Blocks are taken in order, so what lies before the last that runs has begun.
        last = max(running)
        if last + 1 > len(running):
            print("  %d before have ended" % (last + 1 - len(running)))
        if volume(size) > last + 1:
            print("  %d have not begun" % (volume(size) - last - 1))


def running_blocks(grid):
    """(OS thread, blockIdx) of every block of a grid that runs; moves through the OS threads."""
    for thread in gdb.selected_inferior().threads():
        thread.switch()
        block = current_block()
        if block is not None and int(block.grid.address) == grid:
            yield thread, triple(gdb.parse_and_eval("blockIdx"))


class Thread(gdb.Command):
    """Look at another thread of the block: cuda thread 33, cuda thread 1,2"""

    def __init__(self):
        super().__init__("cuda thread", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        block = need_block()
        if not argument:
            rank = focus.rank if focus.rank is not None else block.rank()
        else:
            index = parse_index(argument)
            if not fits(index, block.size):
                raise gdb.GdbError(
                    f"there is no thread {text_of(index)} in a block of {text_of(block.size)}"
                )
            rank = linear(index, block.size)
        what, _place = block.state(rank)
        if what.startswith("has "):
            raise gdb.GdbError(f"thread {text_of(index_of(rank, block.size))} {what}")
        focus.on(block, rank)
        print(f"[CUDA thread {text_of(index_of(rank, block.size))} {what}]")
        gdb.execute("frame")


class FocusBlock(gdb.Command):
    """Look at another block that runs now: cuda block 2,0"""

    def __init__(self):
        super().__init__("cuda block", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        block = need_block()
        size = triple(block.config["grid"])
        wanted = parse_index(argument)
        if not fits(wanted, size):
            raise gdb.GdbError(f"there is no block {text_of(wanted)} in a grid of {text_of(size)}")
        focus.off()
        selected = gdb.selected_thread()
        for thread, index in running_blocks(int(block.grid.address)):
            if index == wanted:
                frame = user_frame()
                if frame is not None:
                    frame.select()
                gdb.execute("cuda thread")
                return
        selected.switch()
        here = linear(triple(gdb.parse_and_eval("blockIdx")), size)
        state = "has ended" if linear(wanted, size) < here else "has not begun"
        raise gdb.GdbError(
            "block %s of kernel '%s' %s; `warpath debug --block %d,%d,%d` starts there"
            % ((text_of(wanted), name_of(block.grid), state) + wanted)
        )


class Continue(gdb.Command):
    """Go on until the thread that is looked at runs again: cuda continue"""

    def __init__(self):
        super().__init__("cuda continue", gdb.COMMAND_RUNNING)

    def invoke(self, _argument, _from_tty):
        block = need_block()
        rank = focus.rank
        if rank is None or rank == block.rank():
            raise gdb.GdbError("the thread that is looked at runs already: use next or continue")
        frame = user_frame()
        if frame is None:
            raise gdb.GdbError("no frame of this thread is in the program's own files")
        stop = Return(frame.pc(), int(block.value.address), rank)
        focus.off()
        try:
            gdb.execute("continue")
        finally:
            if stop.is_valid():
                stop.delete()
        if gdb.selected_inferior().pid != 0:
            gdb.execute("frame")


class Return(gdb.Breakpoint):
    """Where a waiting call of one CUDA thread returns to."""

    def __init__(self, address, block, rank):
        super().__init__("*%d" % address, internal=True)
        self.silent = True
        self.wanted = (block, rank)

    def stop(self):
        block = current_block()
        return block is not None and (int(block.value.address), block.rank()) == self.wanted


for command in (InfoThreads, InfoBlocks, Thread, FocusBlock, Continue):
    command()
