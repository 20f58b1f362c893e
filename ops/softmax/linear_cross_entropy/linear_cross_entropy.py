"""The head and its loss in Triton, chunk by chunk.

Against 02_mma.cu: the same three products per chunk, each a tile of the result per program by `tl.dot`, and the losses
of a chunk by one program per row. Strides say which form a product has; the compiler finds the layout in shared
memory that the CUDA rung spells out. The sums of dweight stay in float between chunks, as there.
"""

import torch
import triton
import triton.language as tl
from triton import knobs


@triton.jit
def product_kernel(
    a, b, d, m, n, k, a_row, a_k, b_k, b_col, d_row,
    ADD: tl.constexpr, WIDEN: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    """d = a b, or d += a b: one tile of M x N."""
    i = tl.program_id(0).to(tl.int64) * M + tl.arange(0, M)
    j = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, k, K):
        step = first + tl.arange(0, K)
        in_a = (i[:, None] < m) & (step[None, :] < k)
        in_b = (step[:, None] < k) & (j[None, :] < n)
        left = tl.load(a + i[:, None] * a_row + step[None, :] * a_k, mask=in_a, other=0)
        right = tl.load(b + step[:, None] * b_k + j[None, :] * b_col, mask=in_b, other=0)
        if WIDEN:  # the interpreter would multiply the bits of bf16
            left, right = left.to(tl.float32), right.to(tl.float32)
        total = tl.dot(left, right, total, input_precision="ieee")
    at = d + i[:, None] * d_row + j[None, :]
    inside = (i[:, None] < m) & (j[None, :] < n)
    if ADD:
        total += tl.load(at, mask=inside, other=0)
    tl.store(at, total.to(d.dtype.element_ty), mask=inside)


@triton.jit
def rows_kernel(
    logits, labels, loss, divisor, words, ignore_index, smoothing, grad_scale, COLS: tl.constexpr
):
    """The loss of a row, and its gradient over the logits."""
    row = tl.program_id(0).to(tl.int64)
    x = logits + row * words
    label = tl.load(labels + row).to(tl.int64)
    ignored = label == ignore_index
    is_word = (label >= 0) & (label < words)
    largest = tl.full((COLS,), float("-inf"), tl.float32)
    total = tl.zeros((COLS,), tl.float32)
    everything = tl.zeros((COLS,), tl.float32)
    for first in range(0, words, COLS):
        c = first + tl.arange(0, COLS)
        tile = tl.load(x + c, mask=c < words, other=float("-inf")).to(tl.float32)
        new = tl.maximum(largest, tile)
        shift = tl.where(new == float("-inf"), 0.0, new)
        total = total * tl.exp(largest - shift) + tl.exp(tile - shift)
        largest = new
        everything += tl.where(c < words, tile, 0.0)
    most = tl.max(largest, 0)
    whole = tl.sum(total * tl.exp(largest - most), 0)
    lse = most + tl.log(whole)
    plain = lse - tl.load(x + tl.where(is_word, label, 0)).to(tl.float32)
    value = (1.0 - smoothing) * plain + smoothing * (lse - tl.sum(everything, 0) / words)
    value = tl.where(is_word, value, float("nan"))
    tl.store(loss + row, tl.where(ignored, 0.0, value))
    weight = tl.where(is_word, grad_scale / tl.load(divisor), float("nan"))
    for first in range(0, words, COLS):
        c = first + tl.arange(0, COLS)
        tile = tl.load(x + c, mask=c < words, other=0).to(tl.float32)
        target = smoothing / words + tl.where(c == label, 1.0 - smoothing, 0.0)
        slope = weight * (tl.exp(tile - most) / whole - target)
        slope = tl.where(ignored, 0.0, slope)
        tl.store(x + c, slope.to(logits.dtype.element_ty), mask=c < words)


def _product(a: torch.Tensor, b: torch.Tensor, d: torch.Tensor, add: bool = False) -> None:
    (m, k), n = a.shape, b.shape[1]
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    product_kernel[grid](
        a, b, d, m, n, k, *a.stride(), *b.stride(), d.stride(0), ADD=add,
        WIDEN=knobs.runtime.interpret, M=64, N=64, K=32,
    )  # fmt: skip


def linear_cross_entropy(
    hidden, weight, labels, *,
    reduction="mean", ignore_index=-100, label_smoothing=0.0, grad_scale=1.0,
):  # fmt: skip
    h, w = hidden.reshape(-1, hidden.shape[-1]).contiguous(), weight.contiguous()
    flat = labels.reshape(-1).contiguous()
    rows, words = h.shape[0], w.shape[0]
    loss = torch.empty(rows, dtype=torch.float32, device=h.device)
    dhidden = torch.empty_like(h)
    sums = torch.zeros(w.shape, dtype=torch.float32, device=h.device)
    counted = (flat != ignore_index).sum() if reduction == "mean" else torch.ones(())
    divisor = counted.to(h.device, torch.float32)
    chunk = max(16, (h.numel() + w.numel()) * 2 // 5 // words)  # a fifth of inputs and gradients
    logits = torch.empty(min(chunk, rows), words, dtype=h.dtype, device=h.device)
    for first in range(0, rows, chunk):
        part = h[first : first + chunk]
        x = logits[: part.shape[0]]
        _product(part, w.t(), x)
        rows_kernel[(part.shape[0],)](
            x, flat[first:], loss[first:], divisor, words, ignore_index, label_smoothing,
            grad_scale, COLS=1024, num_warps=8,
        )  # fmt: skip
        _product(x, w, dhidden[first : first + chunk])
        _product(x.t(), part, sums, add=True)
    total = (loss.sum() / divisor).reshape(1)
    dweight = sums.to(w.dtype)
    return loss.reshape(labels.shape), total, dhidden.reshape(hidden.shape), dweight
