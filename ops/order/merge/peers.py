"""A merge as other libraries say it: rows of `warpath compare merge`. They have none, so they sort both inputs again."""

import numpy
import torch


def _ranked_torch(keys, comparison):
    return keys.abs() if comparison == "magnitude" else keys


def merge_torch(a, b, a_values=None, b_values=None, *, comparison="ascending"):
    keys = torch.cat((a, b))
    order = torch.sort(
        _ranked_torch(keys, comparison), stable=True, descending=comparison == "descending"
    ).indices
    if a_values is None:
        return keys[order], torch.empty(0, dtype=torch.int32, device=a.device)
    return keys[order], torch.cat((a_values, b_values))[order]


def merge_numpy(a, b, a_values=None, b_values=None, *, comparison="ascending"):
    keys = numpy.concatenate((a, b))
    wide = keys.astype(numpy.float64)
    if comparison == "magnitude":
        wide = numpy.abs(wide)
    if comparison == "descending":
        # NaN first, then the largest.
        order = numpy.lexsort((numpy.arange(len(keys)), -wide, ~numpy.isnan(wide)))
    else:
        order = numpy.argsort(wide, kind="stable")
    if a_values is None:
        return keys[order], numpy.empty(0, numpy.int32)
    return keys[order], numpy.concatenate((a_values, b_values))[order]
