"""Modules of warpath.nn on matmul."""

import torch
import warpath


class Linear(torch.nn.Linear):
    """torch.nn.Linear by warpath.matmul, bias fused; gradients by matmul too."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if input.dim() == 0 or input.shape[-1] != self.in_features:
            shape = tuple(input.shape)
            raise RuntimeError(f"Linear: the last axis of {shape} is not {self.in_features}")
        rows = input.reshape(-1, self.in_features)
        out = warpath.matmul(rows, self.weight.t(), None, self.bias)
        return out.reshape(*input.shape[:-1], self.out_features)


class _Conv1D(torch.nn.Module):
    """GPT-2's linear layer as Hugging Face has it: the weight is (in, out)."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = x.reshape(-1, x.shape[-1])
        return warpath.matmul(rows, self.weight, None, self.bias).reshape(*x.shape[:-1], self.nf)


REPLACES = {torch.nn.Linear: Linear, "transformers.pytorch_utils.Conv1D": _Conv1D}
