"""Modules of warpath.nn on softmax."""

import torch
import warpath


class Softmax(torch.nn.Softmax):
    """torch.nn.Softmax by warpath.softmax, along any axis."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        dim = -1 if self.dim is None else self.dim
        if dim in (-1, input.dim() - 1):
            return warpath.softmax(input)
        return warpath.softmax(input.movedim(dim, -1)).movedim(-1, dim)


REPLACES = {torch.nn.Softmax: Softmax}
