"""The head and its loss as PyTorch says it, all logits in memory: a row of `warpath compare linear_cross_entropy`."""

import torch

_F = torch.nn.functional


def linear_cross_entropy_torch(
    hidden, weight, labels, *,
    reduction="mean", ignore_index=-100, label_smoothing=0.0, grad_scale=1.0,
):  # fmt: skip
    with torch.enable_grad():
        h, w = hidden.detach().requires_grad_(), weight.detach().requires_grad_()
        logits = h @ w.t()
        wide = logits if logits.dtype == torch.float64 else logits.float()
        loss = _F.cross_entropy(
            wide.reshape(-1, w.shape[0]), labels.reshape(-1).long(), reduction="none",
            ignore_index=ignore_index, label_smoothing=label_smoothing,
        )  # fmt: skip
        total = loss.sum()
        if reduction == "mean":
            total = total / (labels != ignore_index).sum()
        gradients = torch.autograd.grad(total, (h, w), torch.full_like(total, grad_scale))
    return loss.detach().reshape(labels.shape), total.detach().reshape(1), *gradients
