"""A blur in Triton: along the columns, then along the rows, as 03_separable.cu.

Triton has no way to keep the sums of a halo in shared memory and read them shifted, which 04_fused.cu does: the sums between
the two passes go through memory.
"""

import math

import torch
import triton
import triton.language as tl

TILE = 1024


@triton.jit
def place(i, n, BORDER: tl.constexpr):
    """Where pixel i of a line of n is found. What `zero` leaves out is masked by the caller."""
    if BORDER == "reflect":
        period = tl.maximum(2 * (n - 1), 1)
        i = tl.abs(i) % period
        return tl.minimum(i, period - i)
    return tl.minimum(tl.maximum(i, 0), n - 1)


@triton.jit
def blur_kernel(
    x, y, weights, n, size, stride, area, half, RADIUS: tl.constexpr, BORDER: tl.constexpr,
    SCALE: tl.constexpr, TILE: tl.constexpr,
):  # fmt: skip
    """Sums along an axis of `size` elements that are `stride` apart. SCALE: how the sums of bytes become bytes."""
    i = tl.program_id(0).to(tl.int64) * TILE + tl.arange(0, TILE)
    along = i // stride % size
    total = tl.zeros((TILE,), weights.dtype.element_ty)
    for k in range(2 * RADIUS + 1):
        at = along + k - RADIUS
        kept = i < n
        if BORDER == "zero":
            kept = kept & (at >= 0) & (at < size)
        value = tl.load(x + i + (place(at, size, BORDER) - along) * stride, mask=kept, other=0)
        total += tl.load(weights + k) * value.to(total.dtype)
    if SCALE == "area":
        total = (total + half) // area
    elif SCALE == "units":
        total = (total + half) >> 24
    tl.store(y + i, total.to(y.dtype.element_ty), mask=i < n)


def _weights(size: int, kind: str, sigma: float) -> list[float]:
    if kind == "box":
        return [1 / size] * size
    sigma = sigma or 0.3 * ((size - 1) / 2 - 1) + 0.8
    w = [math.exp(-((k - size // 2) ** 2) / (2 * sigma * sigma)) for k in range(size)]
    return [one / sum(w) for one in w]


def _byte_weights(w: list[float], kind: str) -> list[int]:
    if kind == "box":
        return [1] * len(w)
    q = [math.floor(one * 4096 + 0.5) for one in w]
    q[len(q) // 2] += 4096 - sum(q)
    return q


def blur(
    x: torch.Tensor,
    size: int = 5,
    kind: str = "gaussian",
    sigma: float = 0.0,
    border: str = "reflect",
) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    height, width, channels = x.shape[-3:]
    if x.numel():
        bytes_, box = x.dtype == torch.uint8, kind == "box"
        w = _weights(size, kind, sigma)
        if bytes_:
            weights = torch.tensor(_byte_weights(w, kind), dtype=torch.int64, device=x.device)
        else:
            weights = torch.tensor(w, dtype=torch.float32, device=x.device)
        n, area = x.numel(), size * size
        half = area // 2 if box else 1 << 23
        sums = torch.empty(x.shape, dtype=weights.dtype, device=x.device)
        named = {"RADIUS": size // 2, "BORDER": border, "TILE": TILE}
        line, grid = width * channels, (triton.cdiv(n, TILE),)
        blur_kernel[grid](x, sums, weights, n, height, line, area, half, SCALE="none", **named)
        scale = "none" if not bytes_ else "area" if box else "units"
        blur_kernel[grid](sums, y, weights, n, width, channels, area, half, SCALE=scale, **named)
    return y
