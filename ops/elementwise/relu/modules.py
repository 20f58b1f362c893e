"""Modules of warpath.nn on relu."""

import torch
import warpath


class ReLU(torch.nn.ReLU):
    """torch.nn.ReLU by warpath.relu; inplace=True overwrites its input where no gradient is wanted."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if self.inplace and not (torch.is_grad_enabled() and input.requires_grad):
            return warpath.relu_(input)
        return warpath.relu(input)


REPLACES = {torch.nn.ReLU: ReLU}
