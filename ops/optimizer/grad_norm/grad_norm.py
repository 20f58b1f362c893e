"""The norm of many tensors as one, in Triton.

Against 02_partials.cu: the same, a launch per tensor and a last one over the partial sums. The loads are as wide as the
compiler finds they may be.
"""

import torch
import triton
import triton.language as tl

_BLOCK = 4096


@triton.jit
def squares_kernel(g, partials, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(g + i, mask=i < n, other=0).to(tl.float32)
    tl.store(partials + tl.program_id(0), tl.sum(x * x, 0))


@triton.jit
def finish_kernel(partials, norm, factor, n, max_norm, BLOCK: tl.constexpr):
    sums = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, n, BLOCK):
        i = first + tl.arange(0, BLOCK)
        sums += tl.load(partials + i, mask=i < n, other=0)
    root = tl.sqrt(tl.sum(sums, 0))
    clip = max_norm / (root + 1e-6)
    tl.store(norm, root)
    tl.store(factor, tl.where(clip > 1, 1.0, clip))  # NaN stays


def grad_norm(g: list[torch.Tensor], *, max_norm: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    device = g[0].device if g else "cpu"
    counts = [triton.cdiv(t.numel(), _BLOCK) for t in g]
    partials = torch.empty(max(sum(counts), 1), dtype=torch.float32, device=device)
    done = 0
    for tensor, count in zip(g, counts, strict=True):
        if count:
            squares_kernel[(count,)](tensor, partials[done:], tensor.numel(), BLOCK=_BLOCK)
        done += count
    norm, factor = (torch.empty(1, dtype=torch.float32, device=device) for _ in range(2))
    finish_kernel[(1,)](partials, norm, factor, done, max_norm, BLOCK=1024)
    return norm, factor
