"""Functions of warpath.nn.functional on select. They wait for the GPU: the size of the result is a number of the host."""

import torch
import warpath


def masked_select(input: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """torch.masked_select by warpath.select."""
    input, mask = torch.broadcast_tensors(input, mask)
    x = input.reshape(-1)
    y = torch.empty_like(x)
    count = warpath.select(x, y, mask.reshape(-1))
    return y[: int(count)]


def unique_consecutive(input: torch.Tensor) -> torch.Tensor:
    """torch.unique_consecutive of all elements by warpath.select."""
    x = input.reshape(-1)
    y = torch.empty_like(x)
    return y[: int(warpath.select(x, y, test="unique"))]
