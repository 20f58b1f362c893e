"""Modules and functions of warpath.nn on instance_norm."""

import math

import torch
import warpath
from warpath._folders import family

_shared = family(__file__, "group_peers")


def instance_norm(
    input: torch.Tensor,
    running_mean: torch.Tensor | None = None,
    running_var: torch.Tensor | None = None,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
    activation: str = "none",
) -> torch.Tensor:
    """torch.nn.functional.instance_norm by warpath.instance_norm, with the activation behind it ("relu", "silu") in the
    same kernel. A tensor in channels_last stays so and is not copied. With running statistics it is torch's own."""
    if running_mean is not None or running_var is not None or not use_input_stats:
        if activation != "none":
            raise RuntimeError("instance_norm: no activation beside running statistics")
        return torch.nn.functional.instance_norm(
            input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
        )
    batch, channels, *space = input.shape
    size = math.prod(space)
    if size == 1:
        raise ValueError("instance_norm: expected more than one position per channel")
    last = _shared.channels_last(input)
    x = input.movedim(1, -1) if last else input.contiguous()
    shape = (batch, size, channels, 1) if last else (batch, 1, channels, size)
    y, _, _ = warpath.instance_norm(x.view(shape), weight, bias, eps=eps, activation=activation)
    y = y.view(x.shape)
    return y.movedim(-1, 1) if last else y


class InstanceNorm2d(torch.nn.InstanceNorm2d):
    """torch.nn.InstanceNorm2d by warpath.instance_norm; torch's own where running statistics are kept."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if self.track_running_stats:
            return super().forward(input)
        self._check_input_dim(input)
        images = input if input.dim() == 4 else input.unsqueeze(0)
        if images.shape[1] != self.num_features and self.affine:
            raise ValueError(f"InstanceNorm2d: {images.shape[1]} channels, not {self.num_features}")
        y = instance_norm(images, weight=self.weight, bias=self.bias, eps=self.eps)
        return y if input.dim() == 4 else y.squeeze(0)


REPLACES = {torch.nn.InstanceNorm2d: InstanceNorm2d}
