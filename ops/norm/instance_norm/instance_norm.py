"""Instance normalisation and its gradient in Triton.

Against 02_block.cu and backward_02_split.cu: a program per channel and image, tile by tile, with x read three times
forward; backward its two sums serve dx, dweight and dbias. An element's place follows from its number, so that one kernel
serves NCHW and NHWC.
"""

import torch
from warpath._folders import family

_shared = family(__file__, "group_twins")


def instance_norm(x, weight=None, bias=None, *, eps=1e-5, activation="none"):
    x = x.contiguous()
    batch, outer, channels, inner = x.shape
    y = torch.empty_like(x)
    mean = torch.zeros((batch, channels), dtype=torch.float32, device=x.device)
    rstd = torch.full_like(mean, eps**-0.5)
    if x.numel():
        tensors, flags = _shared.given(weight, bias, x)
        _shared.channel_norm_kernel[(batch * channels,)](
            *(x, *tensors, y, mean, rstd, outer, channels, inner, eps),
            **flags,
            ACTIVATION=activation,
            TILE=_shared.tile(outer * inner),
            num_warps=8,
        )
    return y, mean, rstd


def instance_norm_backward(x, dy, mean, rstd, weight=None, bias=None, *, activation="none"):
    x, dy, mean, rstd = (t.contiguous() for t in (x, dy, mean, rstd))
    batch, outer, channels, inner = x.shape
    dx = torch.empty_like(x)
    sums = torch.zeros((batch, channels, 2), dtype=torch.float32, device=x.device)
    if x.numel():
        tensors, flags = _shared.given(weight, bias, x)
        _shared.channel_norm_backward_kernel[(batch * channels,)](
            *(x, dy, mean, rstd, *tensors, dx, sums, outer, channels, inner),
            **flags,
            ACTIVATION=activation,
            TILE=_shared.tile(outer * inner),
            num_warps=8,
        )
    dweight, dbias = sums.sum(0).to(x.dtype).unbind(-1)
    return dx, dweight, dbias
