"""Sorting as other libraries say it: rows of `warpath compare radix_sort`."""

import numpy
import torch


def _all_bits(begin_bit, end_bit) -> None:
    if begin_bit != 0 or end_bit != 0:
        raise NotImplementedError("sorts by all bits")


def radix_sort_torch(keys, values=None, *, descending=False, begin_bit=0, end_bit=0):
    _all_bits(begin_bit, end_bit)
    result, order = torch.sort(keys, dim=-1, descending=descending, stable=values is not None)
    if values is None:
        return result, torch.empty((0, 0), dtype=torch.int32, device=keys.device)
    return result, values.gather(-1, order)


def radix_sort_numpy(keys, values=None, *, descending=False, begin_bit=0, end_bit=0):
    _all_bits(begin_bit, end_bit)
    if descending:
        raise NotImplementedError("ascending here")
    if values is None:
        return numpy.sort(keys, -1), numpy.empty((0, 0), numpy.int32)
    order = numpy.argsort(keys, -1, kind="stable")
    return numpy.take_along_axis(keys, order, -1), numpy.take_along_axis(values, order, -1)
