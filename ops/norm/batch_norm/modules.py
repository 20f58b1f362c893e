"""Modules and functions of warpath.nn on batch_norm."""

import math

import torch
import warpath
from warpath._folders import family

_shared = family(__file__, "group_peers")


def batch_norm(
    input: torch.Tensor,
    running_mean: torch.Tensor | None,
    running_var: torch.Tensor | None,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
    activation: str = "none",
) -> torch.Tensor:
    """torch.nn.functional.batch_norm by warpath.batch_norm, with the activation behind it ("relu", "silu") in the same
    kernel. A tensor in channels_last stays so and is not copied. Parameters are computed with in f32."""
    batch, channels, *space = input.shape
    size = math.prod(space)
    if training and batch * size <= 1:
        raise ValueError("batch_norm: expected more than one value per channel in training")
    last = _shared.channels_last(input)
    x = input.movedim(1, -1) if last else input.contiguous()
    x = x.view((batch, size, channels, 1) if last else (batch, channels, size))
    wide = torch.float64 if input.dtype == torch.float64 else torch.float32
    weight, bias, mean, var = (
        t if t is None else t.to(wide) for t in (weight, bias, running_mean, running_var)
    )
    named = {"eps": eps, "activation": activation}
    if training:
        y, _, _, new_mean, new_var = warpath.batch_norm(
            x, weight, bias, mean, var, momentum=momentum, **named
        )
        with torch.no_grad():
            if running_mean is not None:
                running_mean.copy_(new_mean)
            if running_var is not None:
                running_var.copy_(new_var)
    else:
        y = warpath.batch_norm_inference(x, mean, var, weight, bias, **named)
    if last:
        return y.view(batch, *space, channels).movedim(-1, 1)
    return y.view(input.shape)


class BatchNorm2d(torch.nn.BatchNorm2d):
    """torch.nn.BatchNorm2d by warpath.batch_norm. In evaluation, where a gradient is wanted, it is torch's own."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        self._check_input_dim(input)
        if input.shape[1] != self.num_features:
            raise RuntimeError(f"BatchNorm2d: {input.shape[1]} channels, not {self.num_features}")
        training = self.training or self.running_mean is None
        tensors = (input, self.weight, self.bias)
        wanted = any(t is not None and t.requires_grad for t in tensors)
        if not training and torch.is_grad_enabled() and wanted:
            return super().forward(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        kept = self.training and self.track_running_stats
        if kept and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches
                momentum = 1.0 / float(self.num_batches_tracked)
        statistics = (self.running_mean, self.running_var) if kept or not training else (None, None)
        return batch_norm(input, *statistics, self.weight, self.bias, training, momentum, self.eps)


REPLACES = {torch.nn.BatchNorm2d: BatchNorm2d}
