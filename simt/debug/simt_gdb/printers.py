"""Shared variables are references in the compiled text; here they look as they were declared."""

import gdb

from .runtime import current_block


class Shared:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        target = self.value.referenced_value()
        declared = target.type.strip_typedefs()
        if declared.code == gdb.TYPE_CODE_ARRAY and declared.sizeof == 0:
            return self.dynamic(target, declared.target())
        return target.cast(declared)

    def dynamic(self, target, element):
        """`extern __shared__ T x[]`: as many elements as the launch asked for."""
        block = current_block()
        size = int(block.config["dynamic_shared"]) if block is not None else 0
        count = size // element.sizeof
        if count == 0:
            return "(no dynamic shared memory was asked for)"
        address = int(target.address)
        pointer = gdb.Value(address).cast(element.pointer())
        return pointer.cast(element.array(count - 1).pointer()).dereference()


class Place:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "(%d bytes of shared memory)" % int(self.value["size_"])


def is_shared(value):
    block = current_block()
    if block is None:
        return False
    first = int(block.value["arena"])
    return first <= int(value.address) < first + int(block.value["arena_size"])


def choose(value):
    if value.type.code == gdb.TYPE_CODE_REF and is_shared(value.referenced_value()):
        return Shared(value)
    if value.type.strip_typedefs().name == "simt::SharedVar":
        return Place(value)
    return None


gdb.pretty_printers.append(choose)
