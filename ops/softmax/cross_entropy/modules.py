"""Modules of warpath.nn on cross_entropy."""

import torch
import warpath


class CrossEntropyLoss(torch.nn.CrossEntropyLoss):
    """torch.nn.CrossEntropyLoss by warpath.cross_entropy: classes along axis 1, labels as integers.

    The loss is float32 whatever the type of the logits. Targets that are probabilities, and a weight that a patched
    module brings, go to torch's own.
    """

    def __init__(self, weight=None, *args, **named):
        if weight is not None:
            raise NotImplementedError("warpath.nn.CrossEntropyLoss: weight is not supported")
        super().__init__(weight, *args, **named)

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        if (
            self.weight is not None or target.is_floating_point()
        ):  # of a module that patch took over
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
