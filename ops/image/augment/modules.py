"""Modules of warpath.nn on augment."""

import torch
import warpath


class Augment(torch.nn.Module):
    """Training images (batch, height, width, 3) of bytes to normalised planes, each image its own way."""

    def __init__(
        self,
        height: int,
        width: int,
        mean: tuple[float, ...] = (0.485, 0.456, 0.406),
        std: tuple[float, ...] = (0.229, 0.224, 0.225),
        **strengths,
    ):
        super().__init__()
        self.size, self.strengths = (height, width), strengths
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("std", torch.tensor(std))

    def forward(self, images: torch.Tensor, *, seed: int, offset: int = 0) -> torch.Tensor:
        like = self.mean[:1].expand(self.size)  # its shape alone; no memory
        return warpath.augment(
            images, like, self.mean, self.std, seed=seed, offset=offset, **self.strengths
        )
