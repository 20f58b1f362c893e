"""Batch normalisation in training and in inference, and its gradient, in Triton.

Against 02_block.cu: a program per channel, tile by tile, with x read three times forward and twice backward. The running
statistics are torch's. An element's place follows from its number, so that one kernel serves NCHW and NHWC; in NHWC a
program reads one element per row.
"""

import torch
import triton
import triton.language as tl
from warpath._folders import family

_shared = family(__file__, "group_twins")
activate = _shared.activate  # kernels find it by this name


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
    tensors, flags = _shared.given(weight, bias, x)
    _shared.channel_norm_kernel[(channels,)](
        *(x, *tensors, y, mean, rstd, n // space, channels, space, eps),
        **flags,
        ACTIVATION=activation,
        TILE=_shared.tile(n),
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
        tensors, flags = _shared.given(weight, bias, x)
        n = x.numel() // channels
        _shared.channel_norm_backward_kernel[(channels,)](
            *(x, dy, mean, rstd, *tensors, dx, sums, n // space, channels, space),
            **flags,
            ACTIVATION=activation,
            TILE=_shared.tile(n),
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
        tensors, flags = _shared.given(weight, bias, x)
        batch_norm_inference_kernel[(triton.cdiv(x.numel(), 1024),)](
            *(x, running_mean, running_var, *tensors, y, x.numel(), *x.shape[-2:], eps),
            **flags,
            ACTIVATION=activation,
            TILE=1024,
        )
    return y
