"""Dropout and its gradient in Triton: the same Philox, the same mask.

Against 04_keys.cu: `tl.philox` is the generator that our core/thread/philox.cuh has, down to the bit, so a twin
can have the rungs' very mask. A program computes the four words of each group of four elements and interleaves them by
two joins. What Triton's tutorial does, one call per element, throws three of four words away as 01_naive.cu does.
"""

import torch
import triton
import triton.language as tl

TILE = 2048  # elements per program


@triton.jit(do_not_specialize=["seed", "offset", "threshold"])
def dropout_kernel(
    x, residual, y, n, seed, offset, threshold, scale, ADDS: tl.constexpr, TILE: tl.constexpr
):
    first = tl.program_id(0).to(tl.int64) * TILE
    group = first // 4 + tl.arange(0, TILE // 4)
    low = (group & 0xFFFFFFFF).to(tl.uint32)
    high = (group >> 32).to(tl.uint32)
    # 64 bits whatever the number: Triton takes small ones as 32.
    offset = offset.to(tl.int64)
    offset_low = (offset & 0xFFFFFFFF).to(tl.uint32) + low * 0
    offset_high = ((offset >> 32) & 0xFFFFFFFF).to(tl.uint32) + low * 0
    w0, w1, w2, w3 = tl.philox(seed, low, high, offset_low, offset_high)  # (TILE / 4,) each
    words = tl.join(tl.join(w0, w2), tl.join(w1, w3)).reshape(TILE)  # in the order of the elements
    at = first + tl.arange(0, TILE)
    inside = at < n
    # 64 bits: a threshold of 2^32 drops every word.
    keep = words.to(tl.int64) >= threshold
    result = tl.where(keep, tl.load(x + at, mask=inside).to(tl.float32) * scale, 0.0)
    if ADDS:
        result += tl.load(residual + at, mask=inside).to(tl.float32)
    tl.store(y + at, result.to(y.dtype.element_ty), mask=inside)


def dropout(
    x: torch.Tensor,
    residual: torch.Tensor | None = None,
    p: float = 0.5,
    seed: int = 0,
    offset: int = 0,
) -> torch.Tensor:
    x = x.contiguous()
    y = torch.empty_like(x)
    n = x.numel()
    if n:
        adds = residual is not None
        dropout_kernel[(triton.cdiv(n, TILE),)](
            x,
            residual.contiguous() if adds else x,
            y,
            n,
            seed,
            offset,
            int(p * 2**32),
            1 / (1 - p) if p < 1 else 0.0,
            ADDS=adds,
            TILE=TILE,
        )
    return y


def dropout_backward(
    dy: torch.Tensor, p: float = 0.5, seed: int = 0, offset: int = 0
) -> torch.Tensor:
    return dropout(dy, None, p, seed, offset)
