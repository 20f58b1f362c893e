"""Modules of warpath.nn on rms_norm."""

import torch
import warpath


class RMSNorm(torch.nn.RMSNorm):
    """torch.nn.RMSNorm by warpath.rms_norm; several trailing axes are seen as one."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        axes = len(self.normalized_shape)
        if x.shape[-axes:] != self.normalized_shape:
            raise RuntimeError(
                f"RMSNorm: the last axes are {tuple(x.shape[-axes:])}, not {self.normalized_shape}"
            )
        weight = None if self.weight is None else self.weight.flatten()
        eps = torch.finfo(x.dtype).eps if self.eps is None else self.eps
        y, _ = warpath.rms_norm(x.flatten(-axes), weight, eps=eps)
        return y.view(x.shape)


class _HuggingFaceRMSNorm(torch.nn.Module):
    """As the models of Hugging Face that follow Llama have it, each with a class of its own."""

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        y, _ = warpath.rms_norm(hidden_states, self.weight, eps=self.variance_epsilon)
        return y


REPLACES = {torch.nn.RMSNorm: RMSNorm} | {
    f"transformers.models.{name.lower()}.modeling_{name.lower()}.{name}RMSNorm": _HuggingFaceRMSNorm
    for name in ("Llama", "Mistral", "Mixtral", "Qwen2", "Qwen3")
}
