"""Modules and functions of warpath.nn on group_norm."""

import math

import torch
import warpath
from warpath._folders import family

_shared = family(__file__, "group_peers")


def group_norm(
    input: torch.Tensor,
    num_groups: int,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    eps: float = 1e-5,
    activation: str = "none",
) -> torch.Tensor:
    """torch.nn.functional.group_norm by warpath.group_norm, with the activation behind it ("relu", "silu") in the same
    kernel. A tensor in channels_last stays so and is not copied."""
    batch, channels, *space = input.shape
    if num_groups <= 0 or channels % num_groups:
        raise RuntimeError(f"group_norm: {channels} channels are no {num_groups} groups")
    last = _shared.channels_last(input)
    x = input.movedim(1, -1) if last else input.contiguous()
    each, size = channels // num_groups, math.prod(space)
    shape = (batch, size, num_groups, each, 1) if last else (batch, 1, num_groups, each, size)
    parameters = (p if p is None else p.view(num_groups, each) for p in (weight, bias))
    y, _, _ = warpath.group_norm(x.view(shape), *parameters, eps=eps, activation=activation)
    y = y.view(x.shape)
    return y.movedim(-1, 1) if last else y


class GroupNorm(torch.nn.GroupNorm):
    """torch.nn.GroupNorm by warpath.group_norm; NCHW and channels_last."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


REPLACES = {torch.nn.GroupNorm: GroupNorm}
