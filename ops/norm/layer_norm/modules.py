"""Modules of warpath.nn on layer_norm."""

import torch
import warpath


class LayerNorm(torch.nn.LayerNorm):
    """torch.nn.LayerNorm by warpath.layer_norm; several trailing axes are seen as one."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        axes = len(self.normalized_shape)
        if input.shape[-axes:] != self.normalized_shape:
            raise RuntimeError(
                f"LayerNorm: the last axes are {tuple(input.shape[-axes:])}, not {self.normalized_shape}"
            )
        flat = (p if p is None else p.flatten() for p in (self.weight, self.bias))
        y, _, _ = warpath.layer_norm(input.flatten(-axes), *flat, eps=self.eps)
        return y.view(input.shape)


REPLACES = {torch.nn.LayerNorm: LayerNorm}
