"""Modules of warpath.nn on linear_cross_entropy."""

import torch
import warpath


class LinearCrossEntropyLoss(torch.nn.Module):
    """The loss of `hidden @ weight.T` against labels, the logits never whole in memory.

    Called with (hidden, weight, labels): hidden (..., width), weight (words, width), labels (...). With gradients, they
    are computed together with the loss. Without, chunks of logits are made and dropped.
    """

    def __init__(
        self, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ):
        super().__init__()
        if reduction not in ("mean", "sum"):
            raise NotImplementedError(
                f"warpath.nn.LinearCrossEntropyLoss: reduction '{reduction}' is not supported; "
                "'mean' and 'sum' are"
            )
        self.ignore_index, self.reduction = ignore_index, reduction
        self.label_smoothing = label_smoothing

    def extra_repr(self) -> str:
        return (
            f"ignore_index={self.ignore_index}, reduction='{self.reduction}', "
            f"label_smoothing={self.label_smoothing}"
        )

    def forward(
        self, hidden: torch.Tensor, weight: torch.Tensor, labels: torch.Tensor
    ) -> torch.Tensor:
        named = {"ignore_index": self.ignore_index, "label_smoothing": self.label_smoothing}
        wanted = hidden.requires_grad or weight.requires_grad
        if torch.is_grad_enabled() and wanted:
            _, total, _, _ = warpath.linear_cross_entropy(
                hidden, weight, labels, reduction=self.reduction, **named
            )
            return total[0]
        rows, flat = hidden.reshape(-1, hidden.shape[-1]), labels.reshape(-1)
        total = torch.zeros((), device=hidden.device)
        for part, some in zip(rows.split(1024), flat.split(1024), strict=True):
            logits = warpath.matmul(part, weight.t())
            total = total + warpath.cross_entropy(logits, some, reduction="sum", **named)[2][0]
        counted = (flat != self.ignore_index).sum() if self.reduction == "mean" else 1
        return total / counted


REPLACES = {}
