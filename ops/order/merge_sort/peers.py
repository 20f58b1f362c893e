"""A stable sort as other libraries say it: rows of `warpath compare merge_sort`."""

import numpy
import torch


def merge_sort_torch(keys, values=None, *, comparison="ascending"):
    ranked = keys.abs() if comparison == "magnitude" else keys
    order = torch.sort(ranked, stable=True, descending=comparison == "descending").indices
    if values is None:
        return keys[order], torch.empty(0, dtype=torch.int32, device=keys.device)
    return keys[order], values[order]


def merge_sort_numpy(keys, values=None, *, comparison="ascending"):
    wide = keys.astype(numpy.float64)
    if comparison == "magnitude":
        wide = numpy.abs(wide)
    if comparison == "descending":
        # NaN first, then the largest.
        order = numpy.lexsort((numpy.arange(len(keys)), -wide, ~numpy.isnan(wide)))
    else:
        order = numpy.argsort(wide, kind="stable")
    if values is None:
        return keys[order], numpy.empty(0, numpy.int32)
    return keys[order], values[order]
