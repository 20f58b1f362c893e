"""Sums of segments as other libraries say them: rows of `warpath compare segment_sum`."""

import itertools

import numpy
import torch


def segment_sum_torch(x, offsets, kind="sum"):
    if x.dtype != torch.float64 and x.is_cuda:
        return torch.segment_reduce(x, kind, offsets=offsets, axis=0, unsafe=True)
    segments = offsets.numel() - 1
    numbers = torch.arange(segments, device=x.device)
    ids = torch.repeat_interleave(numbers, offsets.diff())
    rows = x[offsets[0] : offsets[-1]] if segments else x[:0]
    if kind == "max":
        y = x.new_full((segments, x.shape[1]), float("-inf"))
        return y.index_reduce(0, ids, rows, "amax")
    y = x.new_zeros(segments, x.shape[1], dtype=torch.float64).index_add(0, ids, rows.double())
    if kind == "mean":
        y = y / offsets.diff().unsqueeze(1)
    return y.to(x.dtype)


def segment_sum_numpy(x, offsets, kind="sum"):
    ends = itertools.pairwise(offsets)
    of = {
        "sum": lambda part: part.sum(0, dtype=numpy.float32),
        "mean": lambda part: part.sum(0, dtype=numpy.float32) / numpy.float32(len(part)),
        "max": lambda part: part.max(0, initial=-numpy.inf),
    }[kind]
    rows = [of(x[first:last]) for first, last in ends]
    return numpy.array(rows, x.dtype).reshape(len(rows), x.shape[1])


def _join_torch(x, segment, segments, kind):
    """Rows whose segment is -1 are in none: they go to a row behind the last, which is cut off."""
    at = torch.where(segment >= 0, segment, segments)
    if kind == "max":
        y = x.new_full((segments + 1, x.shape[1]), float("-inf"))
        return y.index_reduce(0, at, x, "amax")[:segments]
    y = x.new_zeros(segments + 1, x.shape[1], dtype=torch.float64).index_add(0, at, x.double())
    if kind == "mean":
        y = y / torch.bincount(at, minlength=segments + 1).unsqueeze(1)
    return y[:segments].to(x.dtype)


def _named(ids, segments):
    ids = ids.long()
    return torch.where((ids >= 0) & (ids < segments), ids, -1)


def segment_sum_by_id_torch(x, ids, *, segments=1, kind="sum"):
    return _join_torch(x, _named(ids, segments), segments, kind)


def _spread_torch(dy, segment, x, y, kind):
    segments = dy.shape[0]
    at = torch.where(segment >= 0, segment, segments)
    behind = dy.new_zeros(1, dy.shape[1])
    dx = torch.cat([dy, behind])[at].double()
    if kind == "mean":
        dx = dx / torch.bincount(at, minlength=segments + 1)[at].unsqueeze(1)
    if kind == "max":
        has = (x == torch.cat([y, behind])[at]) & (segment >= 0).unsqueeze(1)
        ties = torch.zeros(segments + 1, dy.shape[1], dtype=torch.float64, device=dy.device)
        ties = ties.index_add(0, at, has.double())
        dx = torch.where(has, dx / ties[at].clamp(min=1), 0.0)
    return dx.to(dy.dtype)


def segment_sum_backward_torch(dy, offsets, x=None, y=None, *, n=1, kind="sum"):
    rows = torch.arange(n, device=dy.device, dtype=offsets.dtype)
    segment = torch.searchsorted(offsets.contiguous(), rows, right=True) - 1
    return _spread_torch(dy, torch.where(segment < dy.shape[0], segment, -1), x, y, kind)


def segment_sum_by_id_backward_torch(dy, ids, x=None, y=None, *, kind="sum"):
    return _spread_torch(dy, _named(ids, dy.shape[0]), x, y, kind)
