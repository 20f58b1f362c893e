"""Modules of warpath.nn on swiglu."""

import torch
import warpath


class SwiGLU(torch.nn.Module):
    """silu(gate) * up, the activation of Llama's feed-forward layer; it has no parameters.

    Called with both, or with one tensor whose last axis holds the gate and then up.
    """

    def forward(self, gate: torch.Tensor, up: torch.Tensor | None = None) -> torch.Tensor:
        if up is not None:
            return warpath.swiglu(gate, up)
        if gate.shape[-1] % 2:
            raise ValueError(f"SwiGLU: the last axis has {gate.shape[-1]} elements, an odd number")
        return warpath.swiglu_packed(gate.unflatten(-1, (2, gate.shape[-1] // 2)))


class _LlamaMLP(torch.nn.Module):
    """The feed-forward layer of Hugging Face's Llama: gate and up meet in one kernel."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate, up = self.gate_proj(x), self.up_proj(x)
        if "silu" not in type(self.act_fn).__name__.lower():
            return self.down_proj(self.act_fn(gate) * up)
        return self.down_proj(warpath.swiglu(gate, up))


REPLACES = {
    f"transformers.models.{name.lower()}.modeling_{name.lower()}.{name}MLP": _LlamaMLP
    for name in ("Llama", "Mistral", "Qwen2", "Qwen3")
}
