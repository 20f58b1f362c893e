"""Prefix results as other libraries say them: rows of `warpath compare scan`."""

import numpy
import torch


def _start(x, kind):
    if kind == "sum":
        return 0
    if kind == "product":
        return 1
    return float("-inf") if x.is_floating_point() else torch.iinfo(x.dtype).min


def _segment_sums(x, heads):
    """Sums that start again at each head: the sum up to here, less the sum before the segment."""
    y = x.cumsum(-1, dtype=x.dtype)
    places = torch.arange(x.shape[-1], device=x.device).expand(x.shape)
    first = torch.where(heads, places, 0).cummax(-1).values
    return y - y.gather(-1, first) + x.gather(-1, first)


def scan_torch(x, heads=None, *, kind="sum", exclusive=False, reverse=False):
    if heads is not None and (kind != "sum" or exclusive):
        raise NotImplementedError("inclusive sums of segments here")
    if reverse:
        x = x.flip(-1)
    if exclusive and x.shape[-1] > 0:
        first = torch.full_like(x[..., :1], _start(x, kind))
        x = torch.cat([first, x[..., :-1]], -1)
    if heads is not None and x.shape[-1] > 0:
        if reverse:  # a segment is entered at its last element, the one before the next head
            heads = heads.roll(-1, -1).flip(-1)
        y = _segment_sums(x, heads != 0)
    elif kind == "max":
        y = x.cummax(-1).values
    elif kind == "product":
        y = x.cumprod(-1, dtype=x.dtype)
    else:
        y = x.cumsum(-1, dtype=x.dtype)
    return y.flip(-1) if reverse else y


def scan_numpy(x, heads=None, *, kind="sum", exclusive=False, reverse=False):
    if exclusive or reverse or heads is not None:
        raise NotImplementedError("inclusive and forward here, without segments")
    if kind == "max":
        return numpy.maximum.accumulate(x, -1)
    function = numpy.cumprod if kind == "product" else numpy.cumsum
    return function(x, -1, dtype=x.dtype)
