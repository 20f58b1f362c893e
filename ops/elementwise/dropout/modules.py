"""Modules of warpath.nn on dropout."""

import torch
import warpath
from warpath import _drawn

_dropout_drawn = _drawn.define("dropout")


def _dropout(x: torch.Tensor, p: float) -> torch.Tensor:
    seed = _drawn.seed(x)
    if torch.compiler.is_compiling():
        return _dropout_drawn(seed, x, p=p)
    return warpath.dropout(x, p=p, seed=seed.item())


class Dropout(torch.nn.Dropout):
    """torch.nn.Dropout by warpath.dropout: another mask than torch's, and none is stored for the backward pass."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0:
            return input
        result = _dropout(input, self.p)
        return input.copy_(result) if self.inplace else result


REPLACES = {torch.nn.Dropout: Dropout}
