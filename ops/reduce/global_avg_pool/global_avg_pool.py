"""Global average pooling and its gradient in Triton: a tile of rows and pixels, with the strides of x.

The same kernel serves both orders of memory: which axis of the tile is contiguous decides what the compiler coalesces. In CUDA
NCHW and NHWC are kernels of their own, 04_staged.cu and 05_channels_last.cu.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def global_avg_pool_kernel(
    x, y, rows, channels, pixels, image, channel, pixel, ROWS: tl.constexpr, COLS: tl.constexpr
):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    row = x + r // channels * image + r % channels * channel
    total = tl.zeros((ROWS, COLS), tl.float32)
    for first in range(0, pixels, COLS):
        i = first + tl.arange(0, COLS).to(tl.int64)
        inside = (r[:, None] < rows) & (i[None, :] < pixels)
        total += tl.load(row[:, None] + i[None, :] * pixel, mask=inside, other=0).to(tl.float32)
    mean = tl.sum(total, 1) / pixels.to(tl.float32)
    tl.store(y + r, mean.to(y.dtype.element_ty), mask=r < rows)


@triton.jit
def global_avg_pool_backward_kernel(dy, dx, n, pixels, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(dy + i // pixels, mask=i < n, other=0).to(tl.float32) * scale
    tl.store(dx + i, value.to(dx.dtype.element_ty), mask=i < n)


def global_avg_pool(x: torch.Tensor) -> torch.Tensor:
    batch, channels, pixels = x.shape
    y = x.new_empty(batch, channels)
    if y.numel() == 0:
        return y
    if pixels == 0:
        return y.fill_(float("nan"))
    tile = (64, 16) if x.stride(1) == 1 and channels > 1 else (16, 64)
    global_avg_pool_kernel[(triton.cdiv(y.numel(), tile[0]),)](
        x, y, y.numel(), channels, pixels, *x.stride(), ROWS=tile[0], COLS=tile[1]
    )
    return y


def global_avg_pool_backward(dy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    dx = torch.empty(x.shape, dtype=dy.dtype, device=dy.device)
    n, pixels = dx.numel(), x.shape[2]
    if n:
        global_avg_pool_backward_kernel[(triton.cdiv(n, 1024),)](
            dy.contiguous(), dx, n, pixels, 1 / pixels, BLOCK=1024
        )
    return dx
