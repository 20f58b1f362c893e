"""Contracts as Python sees them: arguments, shape rules, words for people.

The checks are those of the extension, with the same texts; here they work on symbolic sizes too.
"""

import difflib
from dataclasses import dataclass
from typing import Any

import torch

from warpath import _native

DTYPES = {
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
NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class Dim:
    name: str  # empty: a plain number
    plus: int
    leading: bool
    and_name: str = ""  # of "name+and_name"

    @classmethod
    def parse(cls, text: str) -> "Dim":
        name, _, plus = text.removesuffix("...").partition("+")
        if name.isdigit():
            return cls("", int(name), False)
        if plus and not plus.isdigit():
            return cls(name, 0, False, plus)
        return cls(name, int(plus or 0), text.endswith("..."))


@dataclass(frozen=True)
class Argument:
    name: str
    type: str  # Tensor, Tensor[], int, float, bool or str
    dims: tuple[Dim, ...] = ()
    dims_text: str = ""
    dtypes: tuple[str, ...] = ()
    same_as: str = ""
    optional: bool = False
    mutated: bool = False
    in_place: str = ""  # of an output: the input whose memory it may be
    index: bool = False  # positions, not numbers to compute with
    default: Any = None
    choices: tuple[str, ...] = ()

    @property
    def is_tensor(self) -> bool:
        return self.type == "Tensor"

    @property
    def is_list(self) -> bool:
        return self.type == "Tensor[]"

    @property
    def leading(self) -> str:
        """The name of the leading axes; empty when the rank is fixed."""
        return self.dims[0].name if self.dims and self.dims[0].leading else ""

    @classmethod
    def parse(cls, fields: dict) -> "Argument":
        fields = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
        if "dims" in fields:
            fields["dims_text"] = ", ".join(fields["dims"])
            fields["dims"] = tuple(Dim.parse(d) for d in fields["dims"])
        return cls(**fields)


@dataclass(frozen=True)
class Op:
    name: str
    summary: str
    family: str  # ops/FAMILY/FOLDER; empty where the installation has no such folder
    folder: str
    path: str  # of that folder
    library: str  # the host library it comes from
    schema: str
    parameters: tuple[Argument, ...]
    outputs: tuple[Argument, ...]

    @property
    def tensors(self) -> list[Argument]:
        """What is given by position: tensors and lists of them."""
        return [p for p in self.parameters if p.is_tensor or p.is_list]

    @property
    def scalars(self) -> list[Argument]:
        return [p for p in self.parameters if not (p.is_tensor or p.is_list)]

    @property
    def takes_lists(self) -> bool:
        return any(p.is_list for p in self.parameters)

    @property
    def functional(self) -> bool:
        return not any(p.mutated for p in self.parameters)

    @property
    def in_place(self) -> bool:
        """Whether NAME_ exists beside NAME: its first input may be overwritten by an output."""
        return self.functional and self.parameters[0].name in {o.in_place for o in self.outputs}

    def rungs(self, backend: str) -> list[dict]:
        """Its ladder for "simt" or "cuda", from the bottom up: opens the library of that backend."""
        return _native.rungs(self.name, backend)

    @property
    def overload(self) -> torch._ops.OpOverload:
        return getattr(torch.ops.warpath, self.name).default

    def named(self, args: tuple) -> dict[str, torch.Tensor | None]:
        """Positional arguments by their names."""
        return dict(zip((t.name for t in self.tensors), args, strict=False))

    def refuse(self, argument: Argument, why: str) -> str:
        return f"warpath::{self.name}: argument '{argument.name}' {why}"


def parse(found: dict) -> dict[str, Op]:
    ops = {}
    for fields in found["ops"]:
        for key in ("parameters", "outputs"):
            fields[key] = tuple(Argument.parse(a) for a in fields[key])
        ops[fields["name"]] = Op(**fields)
    return ops


def check_name(ops: dict[str, Op], name: str) -> None:
    """Raises where no op has that name, and says which one has a similar name."""
    if name in ops:
        return
    near = difflib.get_close_matches(name, ops, n=1) if isinstance(name, str) else []
    meant = f"did you mean '{near[0]}'? " if near else ""
    raise ValueError(f"no op '{name!s:.40}'; {meant}warpath.ops() lists them")


def rungs(ops: dict[str, Op], name: str, device: str) -> list[str]:
    check_name(ops, name)
    backends = {"cpu": "simt", "cuda": "cuda"}
    if device not in backends:
        raise ValueError(f"device is '{device}'; allowed: 'cpu', 'cuda'")
    return [rung["name"] for rung in ops[name].rungs(backends[device])]


def _bind_list(op: Op, argument: Argument, tensors: list[torch.Tensor], sizes: dict) -> None:
    """Checks how many tensors a list has, and their sizes, against the lists before it."""
    count = argument.dims[0].name
    known, owner = sizes.setdefault(count, ([len(tensors)], argument))
    why = f"has {len(tensors)} tensors, but '{owner.name}' has {known[0]}"
    torch._check(len(tensors) == known[0], lambda: op.refuse(argument, why))
    before, owner = sizes.setdefault(f"{count}[]", (tensors, argument))
    for i, (a, b) in enumerate(zip(tensors, before, strict=True)):
        why = f"[{i}] has {a.numel()} elements, but '{owner.name}[{i}]' has {b.numel()}"
        torch._check(a.numel() == b.numel(), lambda why=why: op.refuse(argument, why))


def _bind(op: Op, argument: Argument, tensor: torch.Tensor, sizes: dict) -> None:
    """Checks one tensor's shape against those before it."""
    fixed = argument.dims[1:] if argument.leading else argument.dims
    rank, lead = tensor.dim(), tensor.dim() - len(fixed)
    if lead < 0 or (lead > 0 and not argument.leading):
        least = "at least " if argument.leading else ""
        why = f"has {rank} {'axis' if rank == 1 else 'axes'}; it needs {least}{len(fixed)}"
        raise RuntimeError(op.refuse(argument, why))
    shape = list(tensor.shape)
    parts = [(argument.dims[0], shape[:lead])] if argument.leading else []
    parts += [(dim, [size]) for dim, size in zip(fixed, shape[lead:], strict=True)]
    for dim, got in parts:
        if not dim.name:
            why = f"has an axis of {got[0]}, not {dim.plus}"
            torch._check(got[0] == dim.plus, lambda why=why: op.refuse(argument, why))
            continue
        if not dim.leading:
            got = [got[0] - dim.plus]
        if dim.plus:
            short = f"is too short in '{dim.name}'"
            torch._check(got[0] >= 0, lambda short=short: op.refuse(argument, short))
        known, owner = sizes.setdefault(dim.name, (got, argument))
        why = f"has {dim.name} = {tuple(got)}, but '{owner.name}' has {tuple(known)}"
        torch._check(len(got) == len(known), lambda why=why: op.refuse(argument, why))
        for a, b in zip(got, known, strict=True):
            torch._check(a == b, lambda why=why: op.refuse(argument, why))


def _in_float64(op: Op, tensors: dict[str, Any]) -> bool:
    """Whether the op's float64 reference computes a call: on the CPU, where its first tensor is of float64 and the
    contract has no such type."""
    if not op.functional or op.takes_lists:
        return False
    given = ((t, tensors.get(t.name)) for t in op.tensors if not t.index)
    argument, first = next(((a, t) for a, t in given if t is not None), (None, None))
    if first is None or first.dtype != torch.float64 or "f64" in argument.dtypes:
        return False
    return first.device.type != "cuda"


def _size_of(op: Op, dim: Dim, sizes: dict, given: dict[str, Any]) -> list:
    """What inputs say about a dimension of an output, else the integer scalar of that name."""
    both = (dim.name, dim.and_name)
    if dim.and_name and sum(name in sizes for name in both) == 1:
        given_by = next(sizes[name][1] for name in both if name in sizes)
        absent = next(name for name in both if name not in sizes)
        missing = next(t for t in op.tensors if t.dims and t.dims[0].name == absent)
        raise RuntimeError(op.refuse(given_by, f"needs '{missing.name}' beside it"))
    if dim.name not in sizes:
        scalar = next(s for s in op.scalars if s.name == dim.name)
        size = given.get(scalar.name, scalar.default)
        why = f"warpath::{op.name}: argument '{scalar.name}' is {size}, which is no size"
        torch._check(size >= 0, lambda: why)
        return [size]
    known = sizes[dim.name][0]
    return [known[0] + sizes[dim.and_name][0][0]] if dim.and_name else known


def _allowed_dtypes(op: Op, argument: Argument) -> tuple[str, ...]:
    """Its own, or those of the argument it is like, where that is left out."""
    while argument.same_as:
        argument = next(t for t in op.tensors if t.name == argument.same_as)
    return argument.dtypes


def empty_outputs(op: Op, tensors: dict[str, Any]) -> list[torch.Tensor]:
    """New outputs for these inputs, nothing computed; RuntimeError names a bad argument."""
    sizes: dict = {}
    dtypes: dict[str, torch.dtype] = {}
    first = None
    exact = _in_float64(op, tensors)
    # Outputs that leave their type to the call: told by its name, or by an input like them.
    free = {o.name: o for o in op.outputs if not o.same_as and len(o.dtypes) > 1}
    for scalar in op.scalars:
        told = tensors.get(scalar.name)
        if scalar.same_as and told:
            if exact:
                why = f"is '{told}', but the result of float64 tensors is f64"
                raise RuntimeError(op.refuse(scalar, why))
            if told not in scalar.choices:
                allowed = ", ".join(free[scalar.same_as].dtypes)
                raise RuntimeError(op.refuse(scalar, f"is '{told}'; allowed: {allowed}"))
            dtypes[scalar.same_as] = DTYPES[told]
    for argument in op.tensors:
        tensor = tensors.get(argument.name)
        if tensor is None:
            continue
        if argument.is_list:
            _bind_list(op, argument, tensor, sizes)
            if not tensor:
                continue
            mixed = next((t for t in tensor if t.dtype != tensor[0].dtype), None)
            if mixed is not None:
                both = f"{NAMES.get(tensor[0].dtype)} and {NAMES.get(mixed.dtype)}"
                raise RuntimeError(
                    op.refuse(argument, f"holds both {both}; one call takes one type")
                )
            elsewhere = next((t for t in tensor if t.device != tensor[0].device), None)
            if elsewhere is not None:
                both = f"{tensor[0].device} and {elsewhere.device}"
                raise RuntimeError(op.refuse(argument, f"holds tensors on both {both}"))
            tensor = tensor[0]  # the others are like it
        first = first or (argument, tensor)
        if tensor.device != first[1].device:
            why = f"is not on the device of '{first[0].name}'"
            raise RuntimeError(op.refuse(argument, why))
        is_name = NAMES.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))
        if exact and not argument.index:
            if tensor.dtype != torch.float64:
                why = f"is {is_name} but '{first[0].name}' is f64"
                raise RuntimeError(op.refuse(argument, why))
        elif argument.same_as in free and argument.same_as not in dtypes:
            if is_name not in free[argument.same_as].dtypes:
                allowed = ", ".join(free[argument.same_as].dtypes)
                raise RuntimeError(op.refuse(argument, f"is {is_name}; allowed: {allowed}"))
            dtypes[argument.same_as] = tensor.dtype
        elif argument.same_as:
            if tensor.dtype != dtypes[argument.same_as]:
                other = NAMES[dtypes[argument.same_as]]
                why = f"is {is_name} but '{argument.same_as}' is {other}"
                raise RuntimeError(op.refuse(argument, why))
        elif is_name not in argument.dtypes:
            why = f"is {is_name}; allowed: {', '.join(argument.dtypes)}"
            raise RuntimeError(op.refuse(argument, why))
        dtypes[argument.name] = tensor.dtype
        if not argument.is_list:
            _bind(op, argument, tensor, sizes)
    outputs = []
    for output in op.outputs:
        shape: list = []
        for dim in output.dims:
            scalar = any(s.name == dim.name for s in op.scalars)
            unknown = dim.name not in sizes and dim.and_name not in sizes
            if dim.name and unknown and output.optional and not scalar:
                shape += [] if dim.leading else [0]  # the input that sizes it is left out
                continue
            known = _size_of(op, dim, sizes, tensors) if dim.name else [0]
            shape += known if dim.leading else [known[0] + dim.plus]
        dtype = dtypes.get(output.same_as or output.name)
        if exact:
            dtype = torch.int64 if output.index else torch.float64
        elif dtype is None:
            first_name = NAMES[first[1].dtype]
            allowed = _allowed_dtypes(op, output)
            free_to_be = output.dtypes and first_name in allowed
            chosen = first_name if free_to_be else allowed[0]
            dtype = DTYPES[chosen]
        outputs.append(torch.empty(shape, dtype=dtype, device=first[1].device))
    return outputs
