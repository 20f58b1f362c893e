"""Cross entropy and its gradient as other libraries say them: rows of `warpath compare cross_entropy`."""

import numpy
import torch

_F = torch.nn.functional


def _known(labels, words, ignore_index):
    """Labels that torch takes, and where they are none: there our result is NaN, and torch stops."""
    bad = ((labels < 0) | (labels >= words)) & (labels != ignore_index)
    return torch.where(bad, ignore_index, labels).long(), bad


def _reduced(loss, labels, reduction, ignore_index):
    total = loss.sum()
    if reduction == "mean":
        total = total / (labels != ignore_index).sum()
    return total.reshape(1)


def cross_entropy_torch(
    logits, labels, *, reduction="mean", ignore_index=-100, label_smoothing=0.0
):
    words = logits.shape[-1]
    wide = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    known, bad = _known(labels, words, ignore_index)
    loss = _F.cross_entropy(
        wide.reshape(-1, words), known.reshape(-1), reduction="none", ignore_index=ignore_index,
        label_smoothing=label_smoothing,
    ).reshape(labels.shape)  # fmt: skip
    loss = loss.masked_fill(bad, float("nan"))
    lse = torch.logsumexp(wide, -1)
    return loss, lse, _reduced(loss, labels, reduction, ignore_index)


def cross_entropy_gradient_torch(
    logits, labels, *, reduction="mean", ignore_index=-100, label_smoothing=0.0, grad_scale=1.0
):
    named = {"reduction": reduction, "ignore_index": ignore_index}
    named["label_smoothing"] = label_smoothing
    with torch.enable_grad():
        x = logits.detach().requires_grad_()
        loss, lse, total = cross_entropy_torch(x, labels, **named)
        (dlogits,) = torch.autograd.grad(total, x, torch.full_like(total, grad_scale))
    return loss.detach(), lse.detach(), total.detach(), dlogits


def cross_entropy_backward_torch(
    logits, labels, lse, dtotal=None, dloss=None, dlse=None,
    *, reduction="mean", ignore_index=-100, label_smoothing=0.0,
):  # fmt: skip
    words = logits.shape[-1]
    weight = torch.zeros_like(lse)
    if dtotal is not None:
        counted = (labels != ignore_index).sum() if reduction == "mean" else 1
        weight = weight + dtotal / counted
    if dloss is not None:
        weight = weight + dloss
    known, bad = _known(labels, words, ignore_index)
    weight = weight.masked_fill(bad, float("nan")).masked_fill(labels == ignore_index, 0)
    both = weight if dlse is None else weight + dlse
    p = torch.exp(logits - lse[..., None])
    hit = _F.one_hot(known.clamp(0, words - 1), words).to(p.dtype)
    target = label_smoothing / words + (1 - label_smoothing) * hit
    result = both[..., None] * p - weight[..., None] * target
    skipped = (labels == ignore_index) & (both == 0)
    return result.masked_fill(skipped[..., None], 0).to(logits.dtype)


def cross_entropy_numpy(
    logits, labels, *, reduction="mean", ignore_index=-100, label_smoothing=0.0
):
    words = logits.shape[-1]
    most = logits.max(-1)
    lse = most + numpy.log(numpy.exp(logits - most[..., None]).sum(-1))
    word = (labels >= 0) & (labels < words)
    at = numpy.where(word, labels, 0)[..., None]
    plain = lse - numpy.take_along_axis(logits, at, -1)[..., 0]
    loss = (1 - label_smoothing) * plain + label_smoothing * (lse - logits.mean(-1))
    loss = numpy.where(word, loss, numpy.nan)
    loss = numpy.where(labels == ignore_index, 0, loss).astype(numpy.float32)
    total = loss.sum() / ((labels != ignore_index).sum() if reduction == "mean" else 1)
    return loss, lse.astype(numpy.float32), numpy.float32(total).reshape(1)
