"""A kernel's parameters, and Python values checked against them."""

import ctypes
import math
import numbers
import re
import struct
from dataclasses import dataclass

import numpy as np
import torch

_TORCH = {
    "f64": torch.float64,
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i32": torch.int32,
    "i16": torch.int16,
    "i8": torch.int8,
    "u64": torch.uint64,
    "u32": torch.uint32,
    "u16": torch.uint16,
    "u8": torch.uint8,
    "bool": torch.bool,
}
# Types that are no numbers to C++.
_BY_NAME = {
    "__half": "f16",
    "__nv_bfloat16": "bf16",
    "__half2": "f16",
    "__nv_bfloat162": "bf16",
}
_VECTOR = re.compile(r"(u?)(char|short|int|long|longlong|float|double)([1-4])$")
_VECTOR_CODES = {
    "char": "i8",
    "short": "i16",
    "int": "i32",
    "long": "i64",
    "longlong": "i64",
    "float": "f32",
    "double": "f64",
}
_PACK = {"f64": "d", "f32": "f", "f16": "e", "i64": "q", "i32": "i", "i16": "h", "i8": "b"}
_PACK |= {"u64": "Q", "u32": "I", "u16": "H", "u8": "B", "bool": "?"}


@dataclass(frozen=True)
class Parameter:
    """One parameter, its type as the compiler names it."""

    name: str
    type: str
    pointer: bool
    const: bool
    element: str
    code: str  # "" when the elements are no numbers
    bytes: int

    @classmethod
    def parse(cls, index: int, name: str, told: dict) -> "Parameter":
        code = told["code"] or _BY_NAME.get(told["element"], "")
        vector = _VECTOR.match(told["element"])
        if not code and vector:
            code = _VECTOR_CODES[vector[2]]
            code = code.replace("i", "u") if vector[1] else code
        return cls(
            name or f"#{index + 1}",
            told["type"],
            told["pointer"],
            told["const"],
            told["element"],
            code,
            told["bytes"],
        )


class Refused(TypeError):
    """An argument that does not fit; the caller adds the kernel's name."""


def _described(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"a tensor of {str(value.dtype).removeprefix('torch.')}"
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    return f"{type(value).__name__} {value!r}"[:60]


def as_tensor(p: Parameter, value: object) -> torch.Tensor | None:
    """The tensor behind a pointer, sharing the caller's memory; None is a null pointer."""
    if value is None:
        return None
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise Refused("is not contiguous; pass numpy.ascontiguousarray of it")
        if not value.flags.writeable:
            if not p.const:
                raise Refused(f"is read-only, but '{p.type}' may be written")
            value = value.copy()
        try:
            value = torch.from_numpy(value)
        except TypeError:
            raise Refused(f"is {_described(value)}, a dtype that torch has not") from None
    if not isinstance(value, torch.Tensor):
        raise Refused(f"is {_described(value)}; '{p.type}' wants a tensor, an array or None")
    if value.requires_grad and not p.const:
        raise Refused("requires grad, but the kernel may write it; pass .detach()")
    if value.layout != torch.strided:
        layout = str(value.layout).removeprefix("torch.")
        raise Refused(f"is {layout}; pass .to_dense()")
    if value.is_quantized:
        raise Refused("is quantized; pass .dequantize() or .int_repr()")
    if not value.is_contiguous():
        raise Refused("is not contiguous; pass .contiguous()")
    wanted = _TORCH.get(p.code, torch.uint8)  # structs are bytes to Python
    if p.code != "void" and value.dtype != wanted:
        name = str(wanted).removeprefix("torch.")
        raise Refused(f"is {_described(value)}, but '{p.type}' takes {name}")
    return value


def _number(p: Parameter, value: object) -> bytes:
    is_float = p.code in ("f64", "f32", "f16", "bf16")
    is_bool = isinstance(value, (bool, np.bool_))
    if p.code == "bool":
        if not is_bool:
            raise Refused(f"is {_described(value)}, but '{p.type}' takes True or False")
        return struct.pack("?", bool(value))
    whole = isinstance(value, (numbers.Integral, np.integer)) and not is_bool
    if not whole and not (is_float and isinstance(value, (numbers.Real, np.floating))):
        raise Refused(f"is {_described(value)}, but '{p.type}' takes a number of that type")
    if not is_float:
        bits = 8 * p.bytes
        low, high = (
            (0, 2**bits - 1) if p.code[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        )
        if not low <= int(value) <= high:
            raise Refused(f"is {int(value)}, which '{p.type}' cannot hold ({low} to {high})")
        return struct.pack(_PACK[p.code], int(value))
    number = float(value)
    if p.code == "bf16":
        return torch.tensor(number, dtype=torch.bfloat16).view(torch.int16).numpy().tobytes()
    try:
        return struct.pack(_PACK[p.code], number)
    except OverflowError:  # too large for the type: infinite, as in C++
        return struct.pack(_PACK[p.code], math.copysign(math.inf, number))


def as_bytes(p: Parameter, value: object) -> bytes:
    """The bytes of an argument that is passed by value."""
    if isinstance(value, torch.Tensor):
        if value.dim() != 0:
            raise Refused(f"is {_described(value)}, but '{p.type}' takes a number")
        value = value.item()
    size = struct.calcsize(_PACK.get(p.code, "H")) if p.code else 0
    if p.code and size == p.bytes and not _VECTOR.match(p.element):
        return _number(p, value)
    # A struct: its bytes, however they were made. A vector type: also a tuple of its numbers.
    count = p.bytes // size if p.code else 0
    if isinstance(value, (tuple, list)) and len(value) == count:
        one = Parameter(p.name, p.element, False, False, "", p.code, size)
        return b"".join(_number(one, v) for v in value)
    if isinstance(value, (bytes, bytearray, ctypes.Structure, np.void, np.ndarray)):
        data = bytes(value)
        if len(data) == p.bytes:
            return data
        raise Refused(f"has {len(data)} bytes, but '{p.type}' has {p.bytes}")
    also = f" or a tuple of {count} numbers" if count else ""
    raise Refused(f"is {_described(value)}, but '{p.type}' takes {p.bytes} bytes{also}")
