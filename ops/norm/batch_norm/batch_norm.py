"""Batch normalisation in training and in inference, and its gradient, in Triton.

Against 02_block.cu: a program per channel, tile by tile, with x read three times forward and twice backward. The running
statistics are torch's. An element's place follows from its number, so that one kernel serves NCHW and NHWC; in NHWC a
program reads one element per row.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def activate(z, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        z = tl.where(z < 0, 0.0, z)
    if ACTIVATION == "silu":
        z = z / (1 + tl.exp(-z))
    return z


@triton.jit
def slope(dy, z, ACTIVATION: tl.constexpr):
    """dy times the activation's slope at z."""
    if ACTIVATION == "relu":
        dy = tl.where(z <= 0, 0.0, dy)
    if ACTIVATION == "silu":
        s = 1 / (1 + tl.exp(-z))
        dy = dy * (s * (1 + z * (1 - s)))
    return dy


@triton.jit
def batch_norm_kernel(
    x, weight, bias, y, mean, rstd, outer, channels, inner, eps,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One channel."""
    program = tl.program_id(0).to(tl.int64)
    channel = program % channels
    pitch = channels * inner
    start = program // channels * outer * pitch + channel * inner
    size = outer * inner
    e = tl.arange(0, TILE)
    total = tl.zeros((TILE,), tl.float32)
    for first in range(0, size, TILE):
        at = first + e
        total += tl.load(x + start + at // inner * pitch + at % inner, mask=at < size, other=0).to(
            tl.float32
        )
    center = tl.sum(total, 0) / size
    squares = tl.zeros((TILE,), tl.float32)
    for first in range(0, size, TILE):
        at = first + e
        d = (
            tl.load(x + start + at // inner * pitch + at % inner, mask=at < size, other=0).to(
                tl.float32
            )
            - center
        )
        squares += tl.where(at < size, d * d, 0)
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / size + eps)
    w = 1.0
    b = 0.0
    if WEIGHT:
        w = tl.load(weight + channel).to(tl.float32)
    if BIAS:
        b = tl.load(bias + channel).to(tl.float32)
    for first in range(0, size, TILE):
        at = first + e
        place = start + at // inner * pitch + at % inner
        z = (tl.load(x + place, mask=at < size, other=0).to(tl.float32) - center) * scale * w + b
        tl.store(y + place, activate(z, ACTIVATION).to(y.dtype.element_ty), mask=at < size)
    tl.store(mean + program, center)
    tl.store(rstd + program, scale)


@triton.jit
def batch_norm_backward_kernel(
    x, dy, mean, rstd, weight, bias, dx, sums, outer, channels, inner,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One channel: the sums of dz * n and of dz, then dx."""
    program = tl.program_id(0).to(tl.int64)
    channel = program % channels
    pitch = channels * inner
    start = program // channels * outer * pitch + channel * inner
    center = tl.load(mean + program)
    scale = tl.load(rstd + program)
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
    all_dot = tl.sum(dot, 0)
    all_total = tl.sum(total, 0)
    tl.store(sums + program * 2, all_dot)
    tl.store(sums + program * 2 + 1, all_total)
    for first in range(0, size, TILE):
        at = first + e
        place = start + at // inner * pitch + at % inner
        n = (tl.load(x + place, mask=at < size, other=0).to(tl.float32) - center) * scale
        d = tl.load(dy + place, mask=at < size, other=0).to(tl.float32)
        dz = slope(d, n * w + b, ACTIVATION)
        result = scale * w * (dz - all_total / size - n * (all_dot / size))
        tl.store(dx + place, result.to(dx.dtype.element_ty), mask=at < size)


def _tile(size: int) -> int:
    """Few shapes, so that few are compiled."""
    return 256 if size <= 256 else 2048


def _given(weight, bias, x) -> tuple:
    """Something to point at where a tensor is left out, and the flags."""
    tensors = (x if t is None else t.contiguous() for t in (weight, bias))
    return tuple(tensors), {"WEIGHT": weight is not None, "BIAS": bias is not None}


def batch_norm(
    x, weight=None, bias=None, running_mean=None, running_var=None, *, eps=1e-5, momentum=0.1, activation="none"
):  # fmt: skip
    x = x.contiguous()
    channels, space = x.shape[-2:]
    y = torch.empty_like(x)
    mean = torch.zeros(channels, dtype=torch.float32, device=x.device)
    rstd = torch.full_like(mean, eps**-0.5)
    old_mean = torch.zeros_like(mean) if running_mean is None else running_mean
    old_var = torch.ones_like(mean) if running_var is None else running_var
    if not x.numel():
        return y, mean, rstd, old_mean.clone(), old_var.clone()
    n = x.numel() // channels
    tensors, flags = _given(weight, bias, x)
    batch_norm_kernel[(channels,)](
        *(x, *tensors, y, mean, rstd, n // space, channels, space, eps),
        **flags,
        ACTIVATION=activation,
        TILE=_tile(n),
        num_warps=8,
    )
    # eps may be most of 1 / rstd^2, but then the variance is small beside it.
    unbiased = (rstd**-2 - eps).clamp(min=0) * (n / max(n - 1, 1))
    new_mean = (1 - momentum) * old_mean + momentum * mean
    return y, mean, rstd, new_mean, (1 - momentum) * old_var + momentum * unbiased


def batch_norm_backward(x, dy, mean, rstd, weight=None, bias=None, *, activation="none"):
    x, dy, mean, rstd = (t.contiguous() for t in (x, dy, mean, rstd))
    channels, space = x.shape[-2:]
    dx = torch.empty_like(x)
    sums = torch.zeros((channels, 2), dtype=torch.float32, device=x.device)
    if x.numel():
        tensors, flags = _given(weight, bias, x)
        n = x.numel() // channels
        batch_norm_backward_kernel[(channels,)](
            *(x, dy, mean, rstd, *tensors, dx, sums, n // space, channels, space),
            **flags,
            ACTIVATION=activation,
            TILE=_tile(n),
            num_warps=8,
        )
    dweight, dbias = sums.unbind(-1)
    return dx, dweight, dbias


@triton.jit
def batch_norm_inference_kernel(
    x, mean, var, weight, bias, y, n, channels, space, eps,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One tile of elements, each with its own channel."""
    at = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    inside = at < n
    c = at // space % channels
    z = tl.load(x + at, mask=inside, other=0).to(tl.float32) - tl.load(
        mean + c, mask=inside, other=0
    )
    z = z / tl.sqrt(tl.load(var + c, mask=inside, other=1) + eps)
    if WEIGHT:
        z *= tl.load(weight + c, mask=inside, other=0)
    if BIAS:
        z += tl.load(bias + c, mask=inside, other=0)
    tl.store(y + at, activate(z, ACTIVATION).to(y.dtype.element_ty), mask=inside)


def batch_norm_inference(
    x, running_mean, running_var, weight=None, bias=None, *, eps=1e-5, activation="none"
):
    x = x.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        tensors, flags = _given(weight, bias, x)
        batch_norm_inference_kernel[(triton.cdiv(x.numel(), 1024),)](
            *(x, running_mean, running_var, *tensors, y, x.numel(), *x.shape[-2:], eps),
            **flags,
            ACTIVATION=activation,
            TILE=1024,
        )
    return y
