"""Small inputs for every op, made from its contract: a new op is tested by being there."""

import os
import tempfile

import torch
import warpath
from warpath import _rows
from warpath._contract import DTYPES, Op

# What the tests compile is theirs alone.
_cache = tempfile.TemporaryDirectory(prefix="warpath-tests-")
os.environ["WARPATH_CACHE"] = _cache.name


def pytest_unconfigure():
    _cache.cleanup()


ALL_OPS = warpath._ops
# The length of a weight tells the sizes of its results, by more than a dimension's name can say: test_nf4.py.
OPS = {name: op for name, op in ALL_OPS.items() if not op.takes_lists and name != "nf4_quantize"}
SIZES = {"cols": 33, "rows": 5, "n": 70, "m": 40}
SIZES |= {"batch": 1}  # offsets pack sequences into one batch
OTHERS = 24  # dimensions of any other name
LEAST = 4  # positions stay below: every axis is longer
# Sizes that must fit together: k is 64 blocks, and 256 of them have one scale.
OWN_SIZES = {
    "nf4_matmul": {"k": 128, "blocks": 2, "groups": 1},
    "nf4_dequantize": {"groups": 1},
}


def inputs(op: Op, dtype: str, lead: tuple[int, ...] = (2, 3), **sizes) -> list[torch.Tensor]:
    """Random tensors for an op whose first tensor has this dtype, or the first of its own where it does not allow it."""
    generator = torch.Generator().manual_seed(1)
    sizes = SIZES | OWN_SIZES.get(op.name, {}) | sizes
    sizes |= {"n_values": sizes["n"], "m_values": sizes["m"]}  # as many as keys
    dtypes: dict[str, str] = {}
    tensors = []
    for t in op.tensors:
        allowed = t.dtypes or [dtype]
        free = dtype if not dtypes and dtype in allowed else allowed[0]
        dtypes[t.name] = dtypes.get(t.same_as, free)
        shape: list[int] = []
        for dim in t.dims:
            if dim.leading:
                shape += lead
            else:
                shape.append((sizes.get(dim.name, OTHERS) if dim.name else 0) + dim.plus)
        # Multiples of 1/16: the sum of two is exact in every type, for ops that round a sum halfway.
        values = torch.randn(shape, generator=generator, dtype=torch.float64).mul(16).round() / 16
        if t.index and t.dims[0].plus == 1:  # offsets of sequences or segments
            values = ((values * 100).abs().long() % (OTHERS + 1)).sort().values
            tensors.append(values.to(DTYPES[dtypes[t.name]]))
            continue
        if op.name == "top_k_backward" and t.index:  # the columns of a row differ
            tensors.append(values.argsort(-1))
            continue
        if t.index:
            values = (values * 100).abs().long() % LEAST
            tensors.append(values.to(DTYPES[dtypes[t.name]]))
            continue
        if t.name == "alpha_bar":  # the schedule of a diffusion model: between 0 and 1
            values = torch.sigmoid(values)
        if t.name == "running_var":
            values = values.abs() + 0.5
        if op.name == "merge" and t.name in ("a", "b"):  # what is merged is in order
            values = values.sort().values
        if not DTYPES[dtypes[t.name]].is_floating_point:
            values = values * 100
        if dtypes[t.name] in ("u64", "u32", "u16"):  # what wraps to a large u64 is no double
            values = values.abs()
        tensors.append(values.to(DTYPES[dtypes[t.name]]))
    return tensors


def dtypes(op: Op) -> tuple[str, ...]:
    return next(t.dtypes for t in op.tensors if t.dtypes and not t.index)


def told_sizes(op: Op, tensors: list[torch.Tensor | None]) -> dict[str, int]:
    """The integers that have the name of a dimension: what the inputs say of it, else a size for the results."""
    known = {}
    for t, given in zip(op.tensors, tensors, strict=False):
        fixed = [d for d in t.dims if not d.leading]
        if given is not None:
            sizes = given.shape[given.dim() - len(fixed) :]
            known |= {d.name: n - d.plus for d, n in zip(fixed, sizes, strict=True) if d.name}
    dims = {d.name for t in (*op.tensors, *op.outputs) for d in t.dims}
    told = [s.name for s in op.scalars if s.type == "int" and s.name in dims]
    return {name: known.get(name, SIZES.get(name, OTHERS)) for name in told}


def call(op: Op, tensors: list[torch.Tensor], **named):
    return getattr(warpath, op.name)(*tensors, **told_sizes(op, tensors), **named)


def expected(op: Op, tensors: list[torch.Tensor], **named):
    """What torch itself answers in float64, as the op's peers.py says it, to hold all rungs against. An op without
    one is held against its lowest rung in its first dtype; `warpath check` holds that against its reference."""
    sizes = told_sizes(op, tensors)
    try:
        exact = torch.uint8  # bytes have rules of their own: the peer gets them as they are
        plain = (
            t if a.index or t.dtype == exact else t.double()
            for a, t in zip(op.tensors, tensors, strict=True)
        )
        return _rows.peer(op, "torch")(*plain, **sizes, **named)
    except _rows.CannotRun:
        first = DTYPES[dtypes(op)[0]]
        plain = [t.to(first) if t.is_floating_point() else t for t in tensors]
        return call(op, plain, rung=warpath.rungs(op.name)[0], **named)


def as_tuple(result) -> tuple[torch.Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def assert_right(op: Op, tensors: list[torch.Tensor], got, **named) -> None:
    """For an op of one result or several."""
    wanted = as_tuple(expected(op, tensors, **named))
    for one, other in zip(as_tuple(got), wanted, strict=True):
        _assert_right(tensors, one, other.double())


def _assert_right(tensors: list[torch.Tensor], got: torch.Tensor, wanted: torch.Tensor) -> None:
    assert got.shape == wanted.shape and got.is_contiguous()
    if not got.dtype.is_floating_point:
        assert torch.equal(got.double(), wanted)
        return
    # One rounding to the dtype, and what sums of floats lose.
    unit = torch.finfo(got.dtype).eps
    scale = max([1.0, *(t.double().abs().sum(-1).max().item() for t in tensors if t.numel())])
    torch.testing.assert_close(got.double(), wanted.double(), rtol=unit, atol=2e-6 * scale)
