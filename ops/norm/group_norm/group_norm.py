"""Group normalisation and its gradient in Triton.

Against 02_block.cu and backward_02_split.cu: a program per group forward, tile by tile, with x read three times unless
it is one tile; a program per channel and image backward, whose two sums serve dx, dweight and dbias. torch adds up the
channels of a group. An element's place follows from its number, so that one kernel serves NCHW and NHWC.
"""

import torch
import triton
import triton.language as tl
from warpath._folders import family

_shared = family(__file__, "group_twins")
activate, slope = _shared.activate, _shared.slope  # kernels find them by these names


@triton.jit
def group_norm_kernel(
    x, weight, bias, y, mean, rstd, outer, groups, channels, inner, eps,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One group of one image."""
    program = tl.program_id(0).to(tl.int64)
    group = program % groups
    run = channels * inner
    pitch = groups * run
    start = program // groups * outer * pitch + group * run
    size = outer * run
    e = tl.arange(0, TILE)
    total = tl.zeros((TILE,), tl.float32)
    for first in range(0, size, TILE):
        at = first + e
        total += tl.load(x + start + at // run * pitch + at % run, mask=at < size, other=0).to(
            tl.float32
        )
    center = tl.sum(total, 0) / size
    squares = tl.zeros((TILE,), tl.float32)
    for first in range(0, size, TILE):
        at = first + e
        d = (
            tl.load(x + start + at // run * pitch + at % run, mask=at < size, other=0).to(
                tl.float32
            )
            - center
        )
        squares += tl.where(at < size, d * d, 0)
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / size + eps)
    for first in range(0, size, TILE):
        at = first + e
        place = start + at // run * pitch + at % run
        channel = group * channels + at % run // inner
        z = (tl.load(x + place, mask=at < size, other=0).to(tl.float32) - center) * scale
        if WEIGHT:
            z *= tl.load(weight + channel, mask=at < size, other=0).to(tl.float32)
        if BIAS:
            z += tl.load(bias + channel, mask=at < size, other=0).to(tl.float32)
        tl.store(y + place, activate(z, ACTIVATION).to(y.dtype.element_ty), mask=at < size)
    tl.store(mean + program, center)
    tl.store(rstd + program, scale)


@triton.jit
def channel_sums_kernel(
    x, dy, mean, rstd, weight, bias, sums, outer, groups, channels, inner,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """The sums of dz * n and of dz over one channel of one image."""
    program = tl.program_id(0).to(tl.int64)
    channel = program % (groups * channels)
    image = program // (groups * channels)
    group = image * groups + channel // channels
    pitch = groups * channels * inner
    start = image * outer * pitch + channel * inner
    center = tl.load(mean + group)
    scale = tl.load(rstd + group)
    w = 1.0
    b = 0.0
    if WEIGHT:
        w = tl.load(weight + channel).to(tl.float32)
    if BIAS:
        b = tl.load(bias + channel).to(tl.float32)
    size = outer * inner
    e = tl.arange(0, TILE)
    dot = tl.zeros((TILE,), tl.float32)
    total = tl.zeros((TILE,), tl.float32)
    for first in range(0, size, TILE):
        at = first + e
        place = start + at // inner * pitch + at % inner
        n = (tl.load(x + place, mask=at < size, other=0).to(tl.float32) - center) * scale
        d = tl.load(dy + place, mask=at < size, other=0).to(tl.float32)
        dz = tl.where(at < size, slope(d, n * w + b, ACTIVATION), 0)
        dot += dz * n
        total += dz
    tl.store(sums + program * 2, tl.sum(dot, 0))
    tl.store(sums + program * 2 + 1, tl.sum(total, 0))


@triton.jit
def dx_kernel(
    x, dy, mean, rstd, weight, bias, group_sums, dx, outer, groups, channels, inner,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """dx of one channel of one image, from the means over its group."""
    program = tl.program_id(0).to(tl.int64)
    channel = program % (groups * channels)
    image = program // (groups * channels)
    group = image * groups + channel // channels
    pitch = groups * channels * inner
    start = image * outer * pitch + channel * inner
    center = tl.load(mean + group)
    scale = tl.load(rstd + group)
    dot = tl.load(group_sums + group * 2)
    total = tl.load(group_sums + group * 2 + 1)
    w = 1.0
    b = 0.0
    if WEIGHT:
        w = tl.load(weight + channel).to(tl.float32)
    if BIAS:
        b = tl.load(bias + channel).to(tl.float32)
    size = outer * inner
    e = tl.arange(0, TILE)
    for first in range(0, size, TILE):
        at = first + e
        place = start + at // inner * pitch + at % inner
        n = (tl.load(x + place, mask=at < size, other=0).to(tl.float32) - center) * scale
        d = tl.load(dy + place, mask=at < size, other=0).to(tl.float32)
        g = slope(d, n * w + b, ACTIVATION) * w
        result = scale * (g - total - n * dot)
        tl.store(dx + place, result.to(dx.dtype.element_ty), mask=at < size)


def group_norm(x, weight=None, bias=None, *, eps=1e-5, activation="none"):
    x = x.contiguous()
    batch, outer, groups, channels, inner = x.shape
    y = torch.empty_like(x)
    mean = torch.zeros((batch, groups), dtype=torch.float32, device=x.device)
    rstd = torch.full_like(mean, eps**-0.5)
    if x.numel():
        tensors, flags = _shared.given(weight, bias, x)
        group_norm_kernel[(batch * groups,)](
            *(x, *tensors, y, mean, rstd, outer, groups, channels, inner, eps),
            **flags,
            ACTIVATION=activation,
            TILE=_shared.tile(outer * channels * inner),
            num_warps=8,
        )
    return y, mean, rstd


def group_norm_backward(x, dy, mean, rstd, weight=None, bias=None, *, activation="none"):
    x, dy, mean, rstd = (t.contiguous() for t in (x, dy, mean, rstd))
    batch, outer, groups, channels, inner = x.shape
    dx = torch.empty_like(x)
    sums = torch.zeros((batch, groups, channels, 2), dtype=torch.float32, device=x.device)
    if x.numel():
        tensors, flags = _shared.given(weight, bias, x)
        shape = (outer, groups, channels, inner)
        flags |= {"ACTIVATION": activation, "TILE": _shared.tile(outer * inner), "num_warps": 8}
        grid = (batch * groups * channels,)
        channel_sums_kernel[grid](x, dy, mean, rstd, *tensors, sums, *shape, **flags)
        weighted = sums if weight is None else sums * weight[..., None].float()
        group_sums = (weighted.sum(2) / (outer * channels * inner)).contiguous()
        dx_kernel[grid](x, dy, mean, rstd, *tensors, group_sums, dx, *shape, **flags)
    dweight, dbias = sums.sum(0).to(x.dtype).unbind(-1)
    return dx, dweight, dbias
