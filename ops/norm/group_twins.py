"""What the Triton twins of batch_norm, instance_norm and group_norm share.

An element's place follows from its number, so that one kernel serves NCHW and NHWC. A batch norm is an instance norm of one
image, with all positions of a channel in it: both have the kernels of a channel.
"""

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
def channel_norm_kernel(
    x, weight, bias, y, mean, rstd, outer, channels, inner, eps,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One channel, of one image or of all."""
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
def channel_norm_backward_kernel(
    x, dy, mean, rstd, weight, bias, dx, sums, outer, channels, inner,
    WEIGHT: tl.constexpr, BIAS: tl.constexpr, ACTIVATION: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """One channel, of one image or of all: the sums of dz * n and of dz, then dx."""
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


def tile(size: int) -> int:
    """Few shapes, so that few are compiled."""
    return 256 if size <= 256 else 2048


def given(weight, bias, x) -> tuple:
    """Something to point at where a tensor is left out, and the flags."""
    tensors = (x if t is None else t.contiguous() for t in (weight, bias))
    return tuple(tensors), {"WEIGHT": weight is not None, "BIAS": bias is not None}
