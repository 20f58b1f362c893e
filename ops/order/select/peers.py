"""Selection as other libraries say it: rows of `warpath compare select`."""

import numpy
import torch


def select_torch(x, y, flags=None, *, test="flags", threshold=0.0, partition=False):
    """Changes y in place and returns the count."""
    if test == "flags":
        keep = flags != 0
    elif test == "above":
        keep = x > threshold
    elif test == "nonzero":
        keep = x != 0
    else:
        keep = torch.ones_like(x, dtype=torch.bool)
        keep[1:] = x[1:] != x[:-1]
    kept = x[keep]
    y[: kept.numel()] = kept
    if partition:
        y[kept.numel() :] = x[~keep].flip(0)
    return torch.tensor([kept.numel()], device=x.device)


def select_numpy(x, y, flags=None, *, test="flags", threshold=0.0, partition=False):
    if test == "unique" or partition:
        raise NotImplementedError("flags and tests of single elements here")
    kept = x[
        {"flags": flags is not None and flags != 0, "above": x > threshold, "nonzero": x != 0}[test]
    ]
    y[: kept.size] = kept
    return numpy.array([kept.size])
