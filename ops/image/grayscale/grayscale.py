"""Colour to grey in Triton.

As 01_naive.cu: three loads with a stride of three elements. Triton makes one wide load of neighbours that one thread
owns, and these are no neighbours: 03_staged.cu hands them out through shared memory by hand.
"""

import torch
import triton
import triton.language as tl

TILE = 1024


@triton.jit
def grey(r, g, b, BYTES: tl.constexpr):
    if BYTES:
        r, g, b = r.to(tl.int32), g.to(tl.int32), b.to(tl.int32)
        return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16
    return 0.299 * r.to(tl.float32) + 0.587 * g.to(tl.float32) + 0.114 * b.to(tl.float32)


@triton.jit
def grayscale_kernel(
    x, y, n, plane, across, down, channels, BYTES: tl.constexpr, TILE: tl.constexpr
):
    """`across`: from pixel to pixel of an image, `down`: from channel to channel."""
    i = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    at = x + i // plane * plane * channels + i % plane * across
    r = tl.load(at, mask=i < n)
    g = tl.load(at + down, mask=i < n)
    b = tl.load(at + 2 * down, mask=i < n)
    tl.store(y + i, grey(r, g, b, BYTES).to(y.dtype.element_ty), mask=i < n)


def _run(x, y, plane, across, down, channels):
    n = y.numel()
    if n:
        grid = (triton.cdiv(n, TILE),)
        bytes_ = x.dtype == torch.uint8
        grayscale_kernel[grid](x, y, n, plane, across, down, channels, BYTES=bytes_, TILE=TILE)
    return y


def grayscale(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty(x.shape[:-1], dtype=x.dtype, device=x.device)
    channels = x.shape[-1]
    return _run(x, y, max(y.numel(), 1), channels, 1, channels)


def grayscale_planes(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    batch, channels, height, width = x.shape
    y = torch.empty(batch, height, width, dtype=x.dtype, device=x.device)
    plane = height * width
    return _run(x, y, plane, 1, plane, channels)
