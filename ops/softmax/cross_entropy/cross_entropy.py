"""Cross entropy and its gradient in Triton.

Against 03_online.cu: one program, one row, the largest logit and the sum of exponentials in one pass, lane by lane,
combined at the row's end; the gradient in a second one. Rows that start at any address need no care here: a masked
load of a tile is split by the compiler as far as it can prove alignment, and for rows of 50257 that is not far, which
is what cut.cuh is for. What Triton cannot say is 05_staged_sm90.cu: a row that stays in the shared memory of several
blocks.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _shift(largest):
    """What exponents are relative to: a row of nothing but -inf would give inf - inf, so 0 stands in."""
    return tl.where(largest == float("-inf"), 0.0, largest)


@triton.jit
def _row_stats(x, words, COLS: tl.constexpr):
    """The largest logit, the sum of exponentials relative to it, and the sum of all logits."""
    largest = tl.full((COLS,), float("-inf"), tl.float32)
    total = tl.zeros((COLS,), tl.float32)
    logits = tl.zeros((COLS,), tl.float32)
    for first in range(0, words, COLS):
        c = first + tl.arange(0, COLS)
        tile = tl.load(x + c, mask=c < words, other=float("-inf")).to(tl.float32)
        new = tl.maximum(largest, tile)
        total = total * tl.exp(largest - _shift(new)) + tl.exp(tile - _shift(new))
        largest = new
        logits += tl.where(c < words, tile, 0.0)
    most = tl.max(largest, 0)
    whole = tl.sum(total * tl.exp(largest - _shift(most)), 0)
    return most, whole, tl.sum(logits, 0)


@triton.jit
def _store_gradient(
    x, dx, words, label, shift, inverse, weight, weight_lse, smoothing, ignored, COLS: tl.constexpr
):
    """(weight + weight_lse) * softmax - weight * target; zeros where the label is ignored."""
    for first in range(0, words, COLS):
        c = first + tl.arange(0, COLS)
        tile = tl.load(x + c, mask=c < words, other=0).to(tl.float32)
        target = smoothing / words + tl.where(c == label, 1.0 - smoothing, 0.0)
        slope = tl.exp(tile - shift) * inverse * (weight + weight_lse) - weight * target
        slope = tl.where(ignored & (weight_lse == 0), 0.0, slope)
        tl.store(dx + c, slope.to(dx.dtype.element_ty), mask=c < words)


@triton.jit
def cross_entropy_kernel(
    logits, labels, loss, lse, dlogits, counted, words, ignore_index, smoothing, grad_scale,
    GRADIENT: tl.constexpr, COLS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    x = logits + row * words
    label = tl.load(labels + row).to(tl.int64)
    ignored = label == ignore_index
    is_word = (label >= 0) & (label < words)
    most, whole, total = _row_stats(x, words, COLS)
    log = tl.log(whole)
    plain = most - tl.load(x + tl.where(is_word, label, 0)).to(tl.float32) + log
    smooth = (1.0 - smoothing) * plain + smoothing * (most - total / words + log)
    value = tl.where(smoothing == 0, plain, smooth)
    value = tl.where(is_word, value, float("nan"))
    tl.store(loss + row, tl.where(ignored, 0.0, value))
    tl.store(lse + row, most + log)
    if GRADIENT:
        weight = grad_scale / tl.load(counted)
        weight = tl.where(is_word, weight, float("nan"))
        weight = tl.where(ignored, 0.0, weight)
        dx = dlogits + row * words
        _store_gradient(
            x, dx, words, label, _shift(most), 1.0 / whole, weight, 0.0, smoothing, ignored, COLS
        )


@triton.jit
def cross_entropy_backward_kernel(
    logits, labels, lse, dloss, dlse, dlogits, words, ignore_index, smoothing, COLS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row).to(tl.int64)
    ignored = label == ignore_index
    is_word = (label >= 0) & (label < words)
    weight = tl.where(is_word, tl.load(dloss + row), float("nan"))
    weight = tl.where(ignored, 0.0, weight)
    _store_gradient(
        logits + row * words, dlogits + row * words, words, label, tl.load(lse + row), 1.0, weight,
        tl.load(dlse + row), smoothing, ignored, COLS,
    )  # fmt: skip


def _tile(words: int) -> int:
    """Few shapes, so that few are compiled."""
    return 64 if words <= 64 else 1024 if words <= 1024 else 4096


def _divisor(labels: torch.Tensor, reduction: str, ignore_index: int) -> torch.Tensor:
    counted = (labels != ignore_index).sum() if reduction == "mean" else torch.ones(())
    return counted.to(labels.device, torch.float32)


def _forward(
    logits, labels, reduction, ignore_index, label_smoothing, grad_scale=1.0, dlogits=None
):
    logits, labels = logits.contiguous(), labels.contiguous()
    words = logits.shape[-1]
    loss = torch.empty(labels.shape, dtype=torch.float32, device=logits.device)
    lse = torch.empty_like(loss)
    divisor = _divisor(labels, reduction, ignore_index)
    if loss.numel():
        cross_entropy_kernel[(loss.numel(),)](
            logits, labels, loss, lse, logits if dlogits is None else dlogits, divisor, words,
            ignore_index, label_smoothing, grad_scale, GRADIENT=dlogits is not None,
            COLS=_tile(words), num_warps=8,
        )  # fmt: skip
    return loss, lse, (loss.sum() / divisor).reshape(1)


def cross_entropy(logits, labels, *, reduction="mean", ignore_index=-100, label_smoothing=0.0):
    return _forward(logits, labels, reduction, ignore_index, label_smoothing)


def cross_entropy_gradient(
    logits, labels, *, reduction="mean", ignore_index=-100, label_smoothing=0.0, grad_scale=1.0
):
    dlogits = torch.empty_like(logits, memory_format=torch.contiguous_format)
    named = (reduction, ignore_index, label_smoothing, grad_scale, dlogits)
    return (*_forward(logits, labels, *named), dlogits)


def cross_entropy_backward(
    logits, labels, lse, dtotal=None, dloss=None, dlse=None,
    *, reduction="mean", ignore_index=-100, label_smoothing=0.0,
):  # fmt: skip
    logits, labels = logits.contiguous(), labels.contiguous()
    words, dlogits = logits.shape[-1], torch.empty_like(logits)
    if not dlogits.numel():
        return dlogits
    weight = torch.zeros_like(lse)
    if dtotal is not None:
        weight += dtotal / _divisor(labels, reduction, ignore_index)
    if dloss is not None:
        weight += dloss
    cross_entropy_backward_kernel[(lse.numel(),)](
        logits, labels, lse.contiguous(), weight,
        torch.zeros_like(lse) if dlse is None else dlse.contiguous(), dlogits, words,
        ignore_index, label_smoothing, COLS=_tile(words), num_warps=8,
    )  # fmt: skip
    return dlogits
