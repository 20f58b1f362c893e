"""Modules of warpath.nn on patchify."""

import torch
import warpath


class Patchify(torch.nn.Module):
    """Images (batch, channels, height, width) to tokens (batch, patches, channels * patch * patch): what
    torch.nn.functional.unfold with that stride gives, transposed. A linear layer on it is a patch embedding."""

    def __init__(self, patch: int):
        super().__init__()
        self.patch = patch

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = images.shape
        p = self.patch
        if height % p or width % p:
            raise ValueError(f"images of {height} x {width} are not whole patches of {p} x {p}")
        y = warpath.patchify(images.reshape(batch, channels, height // p, p, width // p, p))
        return y.view(batch, (height // p) * (width // p), channels * p * p)


class Unpatchify(torch.nn.Module):
    """The inverse of Patchify, for images of a given height and width."""

    def __init__(self, patch: int, height: int, width: int):
        super().__init__()
        if height % patch or width % patch:
            raise ValueError(f"{height} x {width} are not whole patches of {patch} x {patch}")
        self.patch, self.height, self.width = patch, height, width

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        p, rows, cols = self.patch, self.height // self.patch, self.width // self.patch
        batch, _, features = tokens.shape
        x = warpath.unpatchify(tokens.reshape(batch, rows, cols, features // (p * p), p, p))
        return x.view(batch, features // (p * p), self.height, self.width)
