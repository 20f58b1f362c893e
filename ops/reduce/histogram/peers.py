"""Histograms as other libraries say them: rows of `warpath compare histogram`."""

import numpy
import torch


def histogram_torch(x, edges, spacing="uniform"):
    bins = edges.numel() - 1
    if bins == 0:
        return torch.zeros(0, dtype=torch.int64, device=x.device)
    if x.dtype == torch.uint8 and spacing == "uniform" and bins == 256:
        return torch.bincount(x.flatten(), minlength=256)
    if spacing == "uniform" and x.is_floating_point():
        low, high = edges[0].item(), edges[-1].item()
        if low >= high:  # histc refuses these
            y = torch.zeros(bins, dtype=torch.int64, device=x.device)
            y[0] = ((x >= low) & (x <= high)).sum()
            return y
        return torch.histc(x, bins, low, high).to(torch.int64)
    value = x.flatten().to(edges.dtype)
    inside = (value >= edges[0]) & (value <= edges[-1])
    bin_ = torch.bucketize(value[inside], edges, right=True).clamp(max=bins) - 1
    return torch.bincount(bin_, minlength=bins)


def histogram_numpy(x, edges, spacing="uniform"):
    value = x.reshape(-1).astype(edges.dtype)
    return numpy.histogram(value[~numpy.isnan(value)], edges)[0]
