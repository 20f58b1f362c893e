"""Small inputs for every op, made from its contract: a new op is tested by being there."""

import os
import tempfile

import torch
import warpath
from warpath._contract import DTYPES, Op

# What the tests compile is theirs alone.
_cache = tempfile.TemporaryDirectory(prefix="warpath-tests-")
os.environ["WARPATH_CACHE"] = _cache.name


def pytest_unconfigure():
    _cache.cleanup()


OPS = warpath._ops
SIZES = {"cols": 33, "rows": 5, "n": 70, "m": 40, "k": 24}


def inputs(op: Op, dtype: str, lead: tuple[int, ...] = (2, 3), **sizes) -> list[torch.Tensor]:
    """Random tensors for an op whose first tensor has this dtype."""
    generator = torch.Generator().manual_seed(1)
    sizes = SIZES | sizes
    dtypes: dict[str, str] = {}
    tensors = []
    for t in op.tensors:
        free = dtype if not dtypes else (t.dtypes or [dtype])[0]
        dtypes[t.name] = dtypes.get(t.same_as, free)
        shape: list[int] = []
        for dim in t.dims:
            if dim.leading:
                shape += lead
            else:
                shape.append((sizes[dim.name] if dim.name else 0) + dim.plus)
        values = torch.randn(shape, generator=generator, dtype=torch.float64)
        if not DTYPES[dtypes[t.name]].is_floating_point:
            values = values * 100
        tensors.append(values.to(DTYPES[dtypes[t.name]]))
    return tensors


def dtypes(op: Op) -> tuple[str, ...]:
    return op.tensors[0].dtypes


def call(op: Op, tensors: list[torch.Tensor], **named):
    return getattr(warpath, op.name)(*tensors, **named)


# What torch itself answers, in float64, to hold all rungs against. An op that is not here is held
# against its lowest rung in its first dtype; `warpath check` holds that against its reference.
def _softmax_backward(y, dy):
    return y * (dy - (y * dy).sum(-1, keepdim=True))


def _reduce(x, kind="sum"):
    return x.sum(-1) if kind == "sum" else x.amax(-1)


ANSWERS = {
    "matmul": lambda a, b, c, bias: a @ b + c + bias,
    "matvec": lambda x, w, bias: x @ w.t() + bias,
    "reduce": _reduce,
    "softmax": lambda x: torch.softmax(x, -1),
    "softmax_backward": _softmax_backward,
    "transpose": lambda x: x.t(),
    "vector_add": lambda a, b: a + b,
}


def expected(op: Op, tensors: list[torch.Tensor], **named) -> torch.Tensor:
    if op.name in ANSWERS:
        return ANSWERS[op.name](*(t.double() for t in tensors), **named)
    first = DTYPES[dtypes(op)[0]]
    plain = [t.to(first) if t.is_floating_point() else t for t in tensors]
    return call(op, plain, rung=warpath.rungs(op.name)[0], **named).double()


def assert_right(op: Op, tensors: list[torch.Tensor], got: torch.Tensor, **named) -> None:
    wanted = expected(op, tensors, **named)
    assert got.shape == wanted.shape and got.is_contiguous()
    if not got.dtype.is_floating_point:
        assert torch.equal(got.double(), wanted)
        return
    # One rounding to the dtype, and what sums of floats lose.
    unit = torch.finfo(got.dtype).eps
    scale = max([1.0, *(t.double().abs().sum(-1).max().item() for t in tensors if t.numel())])
    torch.testing.assert_close(got.double(), wanted, rtol=unit, atol=2e-6 * scale)
