"""The cases of the ops as the harness makes them: the same inputs, the same float64 reference, the same
verdict as `warpath check` has for the rungs."""

import ctypes
import functools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from warpath._contract import DTYPES, Op


@functools.cache
def _code() -> ctypes.CDLL:
    path = Path(__file__).parent / "op_cases.so"
    if not path.exists():
        raise RuntimeError(
            "warpath: this installation has no cases: build it where fmt and nlohmann-json are found"
        )
    code = ctypes.CDLL(str(path))
    text, pointer = ctypes.c_char_p, ctypes.c_void_p
    code.warpath_cases.restype = code.warpath_case_error.restype = text
    code.warpath_case_new.argtypes = [text] * 5 + [ctypes.c_uint64]
    code.warpath_case_new.restype = code.warpath_case_inputs.restype = pointer
    code.warpath_case_facts.restype = code.warpath_case_judge.restype = text
    code.warpath_case_facts.argtypes = code.warpath_case_inputs.argtypes = [pointer]
    code.warpath_case_judge.argtypes = [pointer, pointer]
    code.warpath_case_delete.argtypes = [pointer]
    return code


def _must(result):
    if result is None:
        raise RuntimeError(f"warpath: {_code().warpath_case_error().decode()}")
    return result


@dataclass(frozen=True)
class Case:
    op: Op
    name: str
    dims: dict[str, int]
    dtypes: tuple[str, ...]
    scalars: dict[str, object]
    offset: int
    elements: int  # of all its tensors
    bench: bool


@functools.cache
def _told(library: str) -> dict:
    return json.loads(_must(_code().warpath_cases(library.encode())))


def cases(op: Op) -> list[Case]:
    """The op's own cases, in their order."""
    result = []
    for fields in _told(op.library)[op.name]:
        fields = {**fields, "dtypes": tuple(fields["dtypes"])}
        result.append(Case(op, **fields))
    return result


@dataclass(frozen=True)
class Verdict:
    passed: bool
    reason: str  # empty when passed
    largest: float  # error of all elements
    ratio: float  # of the worst element's error to what is allowed


class CaseData:
    """One case in one dtype: its inputs as tensors, and what judges an answer."""

    def __init__(self, case: Case, dtype: str, *, seed: int = 1, **dims: int):
        code = _code()
        words = (case.op.library, case.op.name, case.name, json.dumps(dims), dtype)
        self._made = _must(code.warpath_case_new(*(w.encode() for w in words), seed))
        self.case, self.dtype = case, dtype
        facts = json.loads(code.warpath_case_facts(self._made))
        self.scalars: dict[str, object] = facts["scalars"]
        self.bytes, self.flops = facts["bytes"], facts["flops"]  # what must be done at least
        self.told_inputs = [t for t in facts["tensors"] if t["input_at"] >= 0]
        self.told_outputs = [t for t in facts["tensors"] if t["output_at"] >= 0]
        self._output_bytes = facts["output_bytes"]
        types = {t["name"]: t["dtype"] for t in self.told_outputs}
        for scalar in case.op.scalars:  # the type of a result that the call chooses
            if scalar.same_as:
                self.scalars[scalar.name] = types[scalar.same_as]
        at = code.warpath_case_inputs(self._made)
        # A list where the op takes one.
        self.inputs: dict[str, torch.Tensor | list[torch.Tensor] | None] = {
            p.name: [] for p in case.op.tensors if p.is_list
        }
        for t in facts["tensors"]:
            if not t["present"]:
                self.inputs[t["name"]] = None
            elif t["input_at"] >= 0:
                tensor = self._tensor(t, at + t["input_at"])
                if t["list"]:
                    self.inputs[t["name"]].append(tensor)
                else:
                    self.inputs[t["name"]] = tensor

    def __del__(self):
        if getattr(self, "_made", None) is not None:
            _code().warpath_case_delete(self._made)

    @staticmethod
    def _tensor(told: dict, address: int) -> torch.Tensor:
        """A copy, gaps included, that begins as many elements past an aligned address as the case says."""
        dtype, offset = DTYPES[told["dtype"]], told["offset"]
        room = torch.empty(told["bytes"] // dtype.itemsize + offset, dtype=dtype)
        data = room[offset:]
        if told["bytes"]:
            ctypes.memmove(data.data_ptr(), address, told["bytes"])
        return data.as_strided(told["shape"], told["stride"])

    def arguments(self, device: str = "cpu") -> Iterator[torch.Tensor | list[torch.Tensor] | None]:
        """The inputs in the order of the schema, on a device, with the case's alignment; what the op changes is a copy."""

        def moved(tensor: torch.Tensor, mutated: bool) -> torch.Tensor:
            if device == "cpu" and not mutated:
                return tensor
            whole = tensor.untyped_storage()  # with its offset and gaps
            whole = whole.clone() if device == "cpu" else whole.to(device=device)
            there = torch.empty(0, dtype=tensor.dtype, device=device).set_(whole)
            return there.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())

        for argument in self.case.op.tensors:
            given = self.inputs[argument.name]
            changes = argument.mutated
            if given is None:
                yield None
            elif argument.is_list:
                yield [moved(t, changes) for t in given]
            else:
                yield moved(given, changes)

    def changed(self, arguments: Sequence, results: tuple) -> tuple:
        """What judge() takes, of an op that changes some of its arguments: those, and its results."""
        given = self.case.op.named(tuple(arguments))
        changed = {
            p.name: iter(given[p.name] if p.is_list else [given[p.name]])
            for p in self.case.op.tensors
            if p.mutated and given[p.name] is not None
        }
        new = iter(results)
        return tuple(next(changed.get(t["name"], new)) for t in self.told_outputs)

    def judge(self, results: torch.Tensor | tuple[torch.Tensor, ...]) -> Verdict:
        """Checks results, in the order of the contract, against the float64 reference."""
        results = results if isinstance(results, tuple) else (results,)
        outputs = self.case.op.outputs
        if len(results) == len(outputs):  # of which the case may leave some out
            told = {t["name"] for t in self.told_outputs}
            results = [r for o, r in zip(outputs, results, strict=True) if o.name in told]
        if len(results) != len(self.told_outputs):
            return _wrong(f"{len(results)} results, not {len(self.told_outputs)}")
        room = torch.zeros(max(self._output_bytes, 1), dtype=torch.uint8)
        for told, tensor in zip(self.told_outputs, results, strict=True):
            wanted = DTYPES[told["dtype"]]
            if list(tensor.shape) != told["shape"] or tensor.dtype != wanted:
                given = f"{tuple(tensor.shape)} of {tensor.dtype}"
                return _wrong(f"'{told['name']}' is {given}, not {told['shape']} of {wanted}")
            data = tensor.detach().cpu().contiguous()
            if data.numel():
                bytes_ = data.numel() * data.element_size()
                ctypes.memmove(room.data_ptr() + told["output_at"], data.data_ptr(), bytes_)
        text = _code().warpath_case_judge(self._made, room.data_ptr())
        told = json.loads(text)
        numbers = [float("inf") if told[k] == "infinite" else told[k] for k in ("largest", "ratio")]
        return Verdict(told["passed"], told["reason"], *numbers)


def _wrong(reason: str) -> Verdict:
    return Verdict(False, reason, float("inf"), float("inf"))
