"""Modules of warpath.nn on rope."""

import torch
import warpath

_SCALED_BY = (
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "original_max_position_embeddings",
)


class RotaryEmbedding(torch.nn.Module):
    """Rotary position embedding of queries and keys by warpath.rope, in one launch.

    q is (batch..., sequence, heads, dim) and k (batch..., sequence, kv_heads, dim), as a projection leaves them; Hugging
    Face's models hold the transpose(1, 2) of that. `dim` is how many elements of a head are rotated. `scaling` is
    Hugging Face's rope_scaling of type "llama3" or "default". It has no parameters and no buffers: angles are computed
    where they are used.
    """

    def __init__(
        self,
        dim: int,
        base: float = 10000.0,
        scaling: dict | None = None,
        pairs: str = "halves",
    ):
        super().__init__()
        self.dim, self.base, self.pairs = dim, float(base), pairs
        self.scaling = dict(scaling or {})
        kind = self.scaling.get("rope_type", self.scaling.get("type", "default"))
        if kind not in ("default", "llama3"):
            raise ValueError(f"rope_type is '{kind}'; RotaryEmbedding has 'default' and 'llama3'")
        self._named = {"pairs": pairs, "rotary_dim": dim, "base": self.base}
        if kind == "llama3":
            missing = [name for name in _SCALED_BY if name not in self.scaling]
            if missing:
                raise ValueError(f"the scaling of type 'llama3' needs '{missing[0]}'")
            factor, low, high, original = (self.scaling[name] for name in _SCALED_BY)
            self._named |= {
                "factor": float(factor),
                "low_freq_factor": float(low),
                "high_freq_factor": float(high),
                "original_max_position": int(original),
            }

    def forward(
        self,
        q: torch.Tensor,
        k: torch.Tensor | None = None,
        positions: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor] | torch.Tensor:
        """q and k turned; q alone where there is no k. `positions` broadcasts to q's axes before its heads; without it
        the sequence is counted from 0."""
        if positions is not None:
            positions = positions.expand(q.shape[:-2])
        q_out, k_out = warpath.rope(q, k, positions, **self._named)
        return q_out if k is None else (q_out, k_out)

    def extra_repr(self) -> str:
        return f"{self.dim}, base={self.base:g}, scaling={self.scaling}, pairs={self.pairs!r}"


REPLACES = {}
