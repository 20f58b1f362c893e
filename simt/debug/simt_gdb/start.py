"""`cuda start`: runs the program until the chosen CUDA thread stands at its line."""

import argparse
import shlex

import gdb

from .commands import parse_index
from .focus import focus, speaker
from .runtime import (
    current_block,
    fits,
    index_of,
    linear,
    name_of,
    text_of,
    triple,
    user_frame,
    volume,
)


class Fail(Exception):
    pass


class Quiet:
    """Makes a breakpoint without gdb's remarks about it."""

    make = None
    made = None

    @classmethod
    def run(cls):
        cls.made = cls.make()


def quietly(make):
    Quiet.make = make
    gdb.execute("python simt_gdb.start.Quiet.run()", to_string=True)
    return Quiet.made


class Hook(gdb.Breakpoint):
    """One of the runtime's functions that exist for this; see runtime/tools/debug.h."""

    def __init__(self, function):
        super().__init__(function, internal=True)
        self.silent = True

    def is_here(self):
        frame = gdb.newest_frame()
        return frame.name() == self.location


class ThreadStop(gdb.Breakpoint):
    """A line, or a kernel's first one, for one CUDA thread of one grid."""

    def __init__(self, where, generation, block, rank):
        super().__init__(where)
        self.silent = True
        self.wanted = (generation, block, rank)

    def stop(self):
        block = current_block()
        if block is None:
            return False
        index = triple(gdb.parse_and_eval("blockIdx"))
        return (int(block.grid["generation"]), index, block.rank()) == self.wanted


def is_running():
    return gdb.selected_inferior().pid != 0


def go(command):
    gdb.execute(command, to_string=True)


def parse(argument):
    parser = argparse.ArgumentParser(prog="cuda start", add_help=False)
    parser.add_argument("--block", default="0")
    parser.add_argument("--thread", default="0")
    parser.add_argument("--kernel")
    parser.add_argument("--launch", type=int, default=1)
    parser.add_argument("--break", dest="place")
    parser.add_argument("--on-finding", action="store_true")
    return parser.parse_args(shlex.split(argument))


def plain(name):
    """A kernel's name without template arguments and blanks."""
    return name.split("<", 1)[0].replace(" ", "").lstrip("&:")


def names(kernel, wanted):
    have, want = plain(kernel), plain(wanted)
    return have == want or have.endswith("::" + want)


def ended_text():
    code = gdb.convenience_variable("_exitcode")
    return "the program ended" + (" with status %d" % int(code) if code is not None else "")


class Target:
    """What the command line asks for."""

    def __init__(self, options):
        self.kernel, self.launch, self.place = options.kernel, options.launch, options.place
        self.block, self.thread = parse_index(options.block), parse_index(options.thread)
        # One number counts all threads of the block, as `info cuda threads` does.
        self.by_rank = "," not in options.thread

    def rank(self, size):
        """Linear id of the thread in blocks of this size, or None when there is none."""
        if self.by_rank:
            return self.thread[0] if self.thread[0] < volume(size) else None
        return linear(self.thread, size) if fits(self.thread, size) else None

    def why_not(self, grid):
        """What the launch of a grid lacks, or None."""
        grid_size, block_size = triple(grid["config"]["grid"]), triple(grid["config"]["block"])
        launched = f"kernel '{name_of(grid)}' is launched with"
        if not fits(self.block, grid_size):
            return f"there is no block {text_of(self.block)}: {launched} a grid of {text_of(grid_size)}"
        if self.rank(block_size) is None:
            return f"there is no thread {text_of(self.thread)}: {launched} blocks of {text_of(block_size)}"
        return None


def find_launch(target, hook):
    """The grid of the launch that was asked for; the program stands in its beginning."""
    seen, others, lacks = 0, [], None
    go("run")
    while is_running():
        if not hook.is_here():
            return None  # a signal, or a stop of the user's own
        grid = gdb.newest_frame().read_var("grid").dereference()
        name = plain(name_of(grid))
        lack = target.why_not(grid)
        if target.kernel is not None and not names(name, target.kernel):
            if name not in others:
                others.append(name)
        elif lack is not None and target.kernel is None:
            lacks = lack  # a later launch may have it
        else:
            seen += 1
            if seen == target.launch:
                if lack is not None:
                    raise Fail(lack)
                return grid
        go("continue")
    if lacks is not None and seen == 0:
        raise Fail(lacks)
    what = f"kernel '{target.kernel}'" if target.kernel else "a kernel"
    count = "was launched %d times only" % seen if seen else "was never launched"
    have = "; there are: " + ", ".join(others) if others else ""
    raise Fail(f"{ended_text()}: {what} {count}{have}")


def kernel_location(grid):
    """What to break at for the kernel's first line."""
    identity = int(grid["kernel"]["identity"])
    block = gdb.block_for_pc(identity) if identity != 0 else None
    while block is not None and block.function is None:
        block = block.superblock
    if block is None:
        return plain(name_of(grid))
    name = block.function.name
    # gdb takes a name without the namespaces around it, but no path through one without a name.
    unnamed = "(anonymous namespace)::"
    if unnamed in name:
        name = name[name.rfind(unnamed) + len(unnamed) :]
    return plain(name.split("(", 1)[0])


def needs_debug_information(frame):
    producer = frame.find_sal().symtab.producer or ""
    return " -g1" in producer and " -g " not in producer + " "


def stop_in_thread(target):
    grid_hook = quietly(lambda: Hook("simt_debug_grid_began"))
    grid = find_launch(target, grid_hook)
    grid_hook.delete()
    if grid is None:
        return
    name, generation = name_of(grid), int(grid["generation"])
    grid_size, block_size = triple(grid["config"]["grid"]), triple(grid["config"]["block"])
    rank = target.rank(block_size)
    where = target.place or kernel_location(grid)
    wish = "set var ((simt::Grid*) %d)->debug_block = %d"
    gdb.execute(wish % (int(grid.address), linear(target.block, grid_size)), to_string=True)
    block_hook = quietly(lambda: Hook("simt_debug_block_began"))
    go("continue")
    reached = is_running() and block_hook.is_here()
    block_hook.delete()
    if reached:
        stop = quietly(lambda: ThreadStop(where, generation, target.block, rank))
        if stop.pending:
            raise Fail(
                f"there is no place '{where}' in the program's debug information; compile with "
                "`warpath cc -G`"
            )
        go("continue")
        stop.silent = False
        if target.place is None:
            stop.delete()  # it would be asked for every thread to come
    if not is_running():
        thread = text_of(index_of(rank, block_size))
        raise Fail(
            f"{ended_text()}: block {text_of(target.block)}, thread {thread} of kernel '{name}' did not come to {where}"
        )


def stop_at_finding():
    """Stops in the first finding or fault; another `continue` goes to the next."""
    for function in ("simt_check_found", "simt_debug_faulted"):
        quietly(lambda function=function: Hook(function))
    go("run")
    if not is_running():
        print(ended_text() + "; nothing was found")
        gdb.execute("quit %d" % int(gdb.convenience_variable("_exitcode") or 0))
    frame = gdb.newest_frame()
    if frame.name() == "simt_check_found":
        kind, what = frame.read_var("kind").string(), frame.read_var("what").string()
        print(f"found: {kind}: {what}")
    elif frame.name() == "simt_debug_faulted":
        print(frame.read_var("report").string().rstrip())
    block = current_block()
    if user_frame() is None and block is not None:
        look_at_waiting(block)


def look_at_waiting(block):
    """A deadlock is nobody's own doing: the first thread that waits is shown."""
    for rank in range(block.count):
        if block.state(rank)[0].startswith("waits"):
            focus.on(block, rank)
            return


class Start(gdb.Command):
    """Run until a CUDA thread stands at its line:
    cuda start [--block x,y,z] [--thread x,y,z] [--kernel NAME] [--launch N] [--break WHERE]
    cuda start --on-finding"""

    def __init__(self):
        super().__init__("cuda start", gdb.COMMAND_RUNNING)

    def invoke(self, argument, _from_tty):
        options = parse(argument)
        speaker.quiet = True
        try:
            if options.on_finding:
                stop_at_finding()
            else:
                stop_in_thread(Target(options))
        except (Fail, gdb.GdbError) as error:
            self.fail(str(error))
        finally:
            speaker.quiet = False
        self.show()

    def fail(self, text):
        gdb.write(f"warpath debug: {text}\n", gdb.STDERR)
        gdb.execute("set confirm off")
        gdb.execute("quit 2")

    def show(self):
        frame = user_frame()
        if frame is None:
            return gdb.execute("frame")
        frame.select()
        if needs_debug_information(frame):
            self.fail("the program has no names of variables; compile it with `warpath cc -G`")
        if focus.rank is None:
            speaker.on_stop(None)
        gdb.execute("frame")


# Names that appear when libsimt.so is loaded.
gdb.execute("set breakpoint pending on")
Start()
