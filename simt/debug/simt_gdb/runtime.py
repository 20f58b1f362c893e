"""What the runtime's own memory says about the block that an OS thread runs."""

import os

import gdb

FRESH = 0xFFFFFFFF
NO_BLOCK = (1 << 64) - 1

OWN_FOLDERS = ("/simt/include/", "/include/simt-cuda/", "/include/c++/")
WAITS = {"arrive_wait": "waits at a split barrier", "active_mask": "waits in __activemask"}


def triple(value):
    return tuple(int(value[axis]) for axis in "xyz")


def text_of(index):
    return "(%d,%d,%d)" % index


def volume(size):
    return size[0] * size[1] * size[2]


def linear(index, size):
    return index[0] + size[0] * (index[1] + size[1] * index[2])


def index_of(number, size):
    return (number % size[0], number // size[0] % size[1], number // size[0] // size[1])


def fits(index, size):
    return all(i < s for i, s in zip(index, size))


def ranges(numbers):
    """[0, 1, 2, 5] as "0-2, 5"."""
    parts = []
    for n in numbers:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else "%d-%d" % (a, b) for a, b in parts)


# A whole block's state is larger than what gdb reads unasked.
gdb.execute("set max-value-size unlimited")


class Block:
    """A block while it runs; `value` is the runtime's simt::Block."""

    def __init__(self, value):
        self.value = value
        self.grid = value["grid"].dereference()
        self.config = self.grid["config"]
        self.size = triple(self.config["block"])
        self.count = int(value["thread_count"])

    def rank(self):
        """Linear id of the thread that really runs."""
        current = int(self.value["current"])
        return current if current != FRESH else int(self.value["next_thread"]) - 1

    def is_alive(self, rank):
        if rank == self.rank() or rank >= int(self.value["next_thread"]):
            return True
        return int(self.value["warps"]["_M_elems"][rank >> 5]["live"]) >> (rank & 31) & 1 == 1

    def has_begun(self, rank):
        return rank < int(self.value["next_thread"])

    def thread(self, rank):
        return self.value["threads"]["_M_elems"][rank]

    def state(self, rank):
        """(what it does, the place or None); the running thread's place is its frame's."""
        if not self.has_begun(rank):
            return "has not begun", None
        if rank == self.rank():
            return "runs", None
        if not self.is_alive(rank):
            return "has returned", None
        thread = self.thread(rank)
        place = None
        if int(thread["file"]) != 0:
            file = os.path.basename(thread["file"].string())
            place = "%s:%d" % (file, int(thread["line"]))
        return self.wait_text(thread), place

    def wait_text(self, thread):
        wait = str(thread["wait"]).rsplit("::", 1)[-1]
        number = int(thread["barrier"])
        if wait == "barrier":
            barrier = self.value["barriers"]["_M_elems"][number]
            if int(thread["mask"]) != int(barrier["epoch"]):
                return "can go on"
            if number >= 16:
                return "waits at its tile's barrier"
            return "waits at a barrier" if number == 0 else "waits at barrier %d" % number
        if wait == "warp":
            operation = str(thread["op"]).rsplit("::", 1)[-1]
            return "waits for its warp ({}, mask 0x{:08x})".format(operation, int(thread["mask"]))
        return WAITS.get(wait, "can go on")

    def name(self):
        return name_of(self.grid)


def name_of(grid):
    pointer = grid["kernel"]["name"]
    return pointer.string() if int(pointer) != 0 else "(unnamed)"


def current_block():
    """The block that the selected OS thread runs, or None in host code."""
    try:
        front = gdb.parse_and_eval("simt::front")
    except gdb.error:
        return None  # libsimt.so is not loaded yet
    if int(front) == 0:
        return None
    block = front.cast(gdb.lookup_type("simt::Block").pointer()).dereference()
    return Block(block) if int(block["grid"]) != 0 else None


def need_block():
    block = current_block()
    if block is None:
        raise gdb.GdbError("no kernel runs on this OS thread")
    return block


def is_user_frame(frame):
    symtab = frame.find_sal().symtab
    if symtab is None:
        return False
    path = symtab.fullname()
    if any(folder in path for folder in OWN_FOLDERS):
        return False
    library = gdb.solib_name(frame.pc())
    return library is None or not os.path.basename(library).startswith("libsimt")


def user_frame():
    """The innermost frame in the program's own files, or None."""
    frame = gdb.newest_frame()
    while frame is not None:
        if is_user_frame(frame):
            return frame
        frame = frame.older()
    return None


def place_of(frame):
    sal = frame.find_sal()
    return "%s:%d" % (os.path.basename(sal.symtab.filename), sal.line)
