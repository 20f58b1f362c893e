"""Modules of warpath.nn on dropout."""

import torch
import warpath


# Not compiled: a seed that is drawn at every call would be a constant of the graph.
@torch.compiler.disable
def _dropout(x: torch.Tensor, p: float) -> torch.Tensor:
    # From torch's default generator, the CPU's: torch.manual_seed makes it repeatable, nothing waits for a GPU.
    seed = torch.empty((), dtype=torch.int64, device="cpu").random_().item()
    return warpath.dropout(x, p=p, seed=seed)


class Dropout(torch.nn.Dropout):
    """torch.nn.Dropout by warpath.dropout: another mask than torch's, and none is stored for the backward pass."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0:
            return input
        result = _dropout(input, self.p)
        return input.copy_(result) if self.inplace else result


REPLACES = {torch.nn.Dropout: Dropout}
