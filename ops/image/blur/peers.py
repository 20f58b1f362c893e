"""A blur as PyTorch says it: rows of `warpath compare blur`. Padding, then one convolution per axis."""

import math

import torch
import torch.nn.functional as F


def _weights(size, kind, sigma):
    if kind == "box":
        return [1 / size] * size
    sigma = sigma or 0.3 * ((size - 1) / 2 - 1) + 0.8
    w = [math.exp(-((k - size // 2) ** 2) / (2 * sigma * sigma)) for k in range(size)]
    return [one / sum(w) for one in w]


def _place(n, radius, border, device):
    """The index of every pixel of a padded line; of `zero` it is that of some pixel, which the caller takes out."""
    i = torch.arange(-radius, n + radius, device=device)
    if border != "reflect":
        return i.clamp(0, n - 1)
    period = max(2 * (n - 1), 1)
    i = i.abs() % period
    return torch.minimum(i, period - i)


def blur_torch(x, size=5, kind="gaussian", sigma=0.0, border="reflect"):
    if x.numel() == 0:
        return x.clone()
    radius, w = size // 2, _weights(size, kind, sigma)
    bytes_ = x.dtype == torch.uint8
    wide = torch.promote_types(x.dtype, torch.float32)
    if bytes_:  # whole numbers below 2^53
        wide = torch.float64
        q = [1] * size if kind == "box" else [math.floor(one * 4096 + 0.5) for one in w]
        if kind != "box":
            q[radius] += 4096 - sum(q)
        w = q
    weights = torch.tensor(w, dtype=wide, device=x.device)
    height, width, channels = x.shape[-3:]
    planes = (
        x.reshape(-1, height, width, channels).permute(0, 3, 1, 2).reshape(-1, 1, height, width)
    )
    planes = planes.to(wide)
    if border == "zero":
        planes = F.pad(planes, (radius,) * 4)
    else:
        planes = planes[:, :, _place(height, radius, border, x.device)]
        planes = planes[:, :, :, _place(width, radius, border, x.device)]
    sums = F.conv2d(planes, weights.view(1, 1, size, 1))
    sums = F.conv2d(sums, weights.view(1, 1, 1, size))
    if bytes_:
        area = size * size
        sums = torch.floor((sums + area // 2) / area if kind == "box" else (sums + 2**23) / 2**24)
    y = sums.view(-1, channels, height, width).permute(0, 2, 3, 1)
    return y.reshape(x.shape).to(x.dtype).contiguous()
