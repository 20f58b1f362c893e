"""Sums of segments by ids: the same bits in any order of the rows; and both gradients against torch."""

import pytest
import torch
import warpath


def rows(n=500, cols=3, segments=20, seed=1):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, cols, generator=generator) * torch.logspace(-3, 3, n)[:, None]
    ids = torch.randint(-1, segments + 1, (n,), generator=generator)  # both ends name no segment
    return x, ids


@pytest.mark.parametrize("kind", ["sum", "mean", "max"])
def test_any_order(kind):
    x, ids = rows()
    named = {"segments": 20, "kind": kind}
    wanted = warpath.segment_sum_by_id(x, ids, rung="02", **named)
    for seed in range(3):
        order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
        for rung in ("02", "03"):
            got = warpath.segment_sum_by_id(x[order], ids[order], rung=rung, **named)
            assert torch.equal(got, wanted)


def test_sorted_ids_are_offsets():
    x, ids = rows()
    ids = ids.sort().values
    offsets = torch.searchsorted(ids, torch.arange(21))
    for kind in ("sum", "mean", "max"):
        by_offsets = warpath.segment_sum(x, offsets, kind=kind)
        by_ids = warpath.segment_sum_by_id(x, ids, segments=20, kind=kind)
        torch.testing.assert_close(by_ids, by_offsets, rtol=1e-5, atol=1e-3)


def by_torch(x, ids, segments, kind):
    """Rows in no segment go to one behind the last, which is cut off."""
    at = torch.where((ids >= 0) & (ids < segments), ids, segments)[:, None].expand(x.shape)
    start = x.new_full((segments + 1, x.shape[1]), float("-inf") if kind == "max" else 0.0)
    names = {"sum": "sum", "mean": "mean", "max": "amax"}
    return start.scatter_reduce(0, at, x, names[kind], include_self=False)[:segments]


@pytest.mark.parametrize("kind", ["sum", "mean", "max"])
def test_gradients(kind):
    x, ids = rows(200, 4)
    x = x.round().requires_grad_()  # ties among the maxima
    weight = torch.randn(20, 4)
    (warpath.segment_sum_by_id(x, ids, segments=20, kind=kind) * weight).sum().backward()
    other = x.detach().clone().requires_grad_()
    (by_torch(other, ids, 20, kind) * weight).sum().backward()
    torch.testing.assert_close(x.grad, other.grad)

    ordered = ids.sort().values
    offsets = torch.searchsorted(ordered, torch.arange(21))
    x.grad = other.grad = None
    (warpath.segment_sum(x, offsets, kind=kind) * weight).sum().backward()
    (by_torch(other, ordered, 20, kind) * weight).sum().backward()
    torch.testing.assert_close(x.grad, other.grad)


@pytest.mark.parametrize("kind", ["sum", "mean", "max"])
def test_gradcheck(kind):
    x = torch.randn(9, 2, dtype=torch.float64, requires_grad=True)
    ids = torch.tensor([2, 0, 2, 1, 0, 2, 5, -1, 1])
    offsets = torch.tensor([1, 3, 3, 8])
    filled = offsets if kind == "sum" else torch.tensor([1, 3, 5, 8])
    by_id = {"segments": 3, "kind": kind}
    assert torch.autograd.gradcheck(lambda t: warpath.segment_sum_by_id(t, ids, **by_id), (x,))
    assert torch.autograd.gradcheck(lambda t: warpath.segment_sum(t, filled, kind=kind), (x,))


def test_refused():
    dy, ids = torch.ones(3, 2), torch.tensor([0, 1, 2, 2])
    with pytest.raises(RuntimeError, match="the gradient of a maximum needs 'x' and 'y'"):
        warpath.segment_sum_by_id_backward(dy, ids, kind="max")
    with pytest.raises(RuntimeError, match="argument 'segments' is -1, which is no size"):
        warpath.segment_sum_by_id(torch.ones(4, 2), ids, segments=-1)
