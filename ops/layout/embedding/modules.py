"""Modules of warpath.nn on embedding."""

import torch
import warpath

_UNSUPPORTED = ("max_norm", "scale_grad_by_freq", "sparse")


class Embedding(torch.nn.Embedding):
    """torch.nn.Embedding by warpath.embedding; the gradient is the same from run to run."""

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: torch.Tensor | None = None,
        _freeze: bool = False,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__(
            num_embeddings,
            embedding_dim,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight,
            _freeze,
            device,
            dtype,
        )
        for name in _UNSUPPORTED:
            if getattr(self, name):
                raise NotImplementedError(f"warpath.nn.Embedding: {name} is not supported")

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        # A module that warpath.patch has taken over may have been made with them.
        if any(getattr(self, name) for name in _UNSUPPORTED):
            return super().forward(input)
        padding = -1 if self.padding_idx is None else self.padding_idx
        if input.dim() == 0:
            return warpath.embedding(self.weight, input[None], padding_idx=padding)[0]
        return warpath.embedding(self.weight, input, padding_idx=padding)


REPLACES = {torch.nn.Embedding: Embedding}
