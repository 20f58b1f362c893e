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
