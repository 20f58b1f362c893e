"""Modules of warpath.nn on gelu."""

import torch
import warpath


class GELU(torch.nn.GELU):
    """torch.nn.GELU by warpath.gelu."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return warpath.gelu(input, approximate=self.approximate)


class _NewGELU(torch.nn.Module):
    """GPT-2's activation as Hugging Face has it: the form with tanh."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return warpath.gelu(input, approximate="tanh")


REPLACES = {torch.nn.GELU: GELU, "transformers.activations.NewGELUActivation": _NewGELU}
