"""The scores of attention in Triton: one program per tile of 64 x 64 scores.

Against 02_tiled.cu: tl.dot has the shared memory and the registers, and multiplies by the tensor cores; what is left is the layout:
which strides the four axes have. Floats are multiplied as floats: "ieee".
"""

import math

import torch
import triton
import triton.language as tl
from triton import knobs

SIDE = 64


@triton.jit
def qk_kernel(
    q, k, scores, queries, keys, heads, kv_heads, dim, scale, shift, CAUSAL: tl.constexpr,
    WIDEN: tl.constexpr, SIDE: tl.constexpr, DIM: tl.constexpr
):  # fmt: skip
    i = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    j = tl.program_id(2) * SIDE + tl.arange(0, SIDE)
    row = tl.program_id(0).to(tl.int64)
    batch, head = row // heads, row % heads
    d = tl.arange(0, DIM)
    q_at = ((batch * queries + i) * heads + head)[:, None] * dim + d[None, :]
    k_at = ((batch * keys + j) * kv_heads + head // (heads // kv_heads))[:, None] * dim + d[None, :]
    left = tl.load(q + q_at, mask=(i < queries)[:, None] & (d < dim)[None, :], other=0)
    right = tl.load(k + k_at, mask=(j < keys)[:, None] & (d < dim)[None, :], other=0)
    if WIDEN:  # the interpreter would multiply the bits of bf16
        left, right = left.to(tl.float32), right.to(tl.float32)
    s = tl.dot(left, tl.trans(right), input_precision="ieee") * scale  # (SIDE, SIDE)
    if CAUSAL:
        s = tl.where(j[None, :] <= i[:, None] + shift, s, float("-inf"))
    to = (row * queries + i)[:, None] * keys + j[None, :]
    inside = (i < queries)[:, None] & (j < keys)[None, :]
    tl.store(scores + to, s.to(scores.dtype.element_ty), mask=inside)


def qk(q: torch.Tensor, k: torch.Tensor, scale: float = 0.0, causal: bool = False) -> torch.Tensor:
    q, k = q.contiguous(), k.contiguous()
    batch, queries, heads, dim = q.shape
    keys, kv_heads = k.shape[1:3]
    scores = torch.empty(batch, heads, queries, keys, dtype=q.dtype, device=q.device)
    if scores.numel():
        grid = (batch * heads, triton.cdiv(queries, SIDE), triton.cdiv(keys, SIDE))
        qk_kernel[grid](
            q,
            k,
            scores,
            queries,
            keys,
            heads,
            kv_heads,
            dim,
            scale or 1 / math.sqrt(dim),
            keys - queries,
            CAUSAL=causal,
            WIDEN=knobs.runtime.interpret,
            SIDE=SIDE,
            DIM=max(triton.next_power_of_2(dim), 16),
        )
    return scores
