"""Modules of warpath.nn on silu."""

import torch
import warpath


class SiLU(torch.nn.SiLU):
    """torch.nn.SiLU by warpath.silu; inplace=True overwrites its input where no gradient is wanted."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if self.inplace and not (torch.is_grad_enabled() and input.requires_grad):
            return warpath.silu_(input)
        return warpath.silu(input)


REPLACES = {torch.nn.SiLU: SiLU}
