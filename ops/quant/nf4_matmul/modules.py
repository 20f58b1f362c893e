"""Modules of warpath.nn on nf4_matmul."""

import torch
import warpath


class LinearNF4(torch.nn.Module):
    """A frozen linear layer whose weight is kept in NF4 with double quantisation: 4.127 bits per weight.

    Made from a torch.nn.Linear whose number of inputs is a multiple of 64. Gradients go through it to its input.
    """

    # More rows than these, and the weight is expanded once for a product of matrices.
    FEW = 16

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        if self.in_features % 64:
            raise ValueError(
                f"warpath.nn.LinearNF4: {self.in_features} inputs are no multiple of 64"
            )
        w = linear.weight.detach().contiguous().view(self.out_features, -1, 64)
        groups = -(-w.shape[0] * w.shape[1] // 256)
        parts = warpath.nf4_quantize(w, groups=groups)
        for name, part in zip(("codes", "absmax", "scales", "offset"), parts, strict=True):
            self.register_buffer(name, part)
        bias = None if linear.bias is None else linear.bias.detach().clone()
        self.register_buffer("bias", bias)

    def weight(self, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        name = {torch.float16: "f16", torch.bfloat16: "bf16"}.get(dtype, "")
        parts = (self.codes, self.absmax, self.scales, self.offset)
        return warpath.nf4_dequantize(*parts, w_dtype=name).flatten(-2)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if input.numel() > self.FEW * self.in_features:
            y = warpath.matmul(input, self.weight(input.dtype).mT)
            return y if self.bias is None else y + self.bias
        parts = (self.codes, self.absmax, self.scales, self.offset)
        return warpath.nf4_matmul(input, *parts, self.bias)

    def extra_repr(self) -> str:
        return f"{self.in_features}, {self.out_features}, bias={self.bias is not None}"
