"""Modules of warpath.nn on cross_entropy."""

import torch
import warpath


class CrossEntropyLoss(torch.nn.CrossEntropyLoss):
    """torch.nn.CrossEntropyLoss by warpath.cross_entropy: classes along axis 1, labels as integers.

    The loss is float32 whatever the type of the logits. With a `weight` per class, or targets that are probabilities, it
    is torch's own.
    """

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        if self.weight is not None or target.is_floating_point():
            return super().forward(input, target)
        logits = input.movedim(1, -1) if input.dim() > 2 else input
        loss, _, total = warpath.cross_entropy(
            logits,
            target,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
        )
        return loss if self.reduction == "none" else total[0]


REPLACES = {torch.nn.CrossEntropyLoss: CrossEntropyLoss}
