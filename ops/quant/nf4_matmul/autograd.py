"""The gradient of nf4_matmul: that of x and of the bias. The weights are frozen, as in QLoRA."""

import torch


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        x, codes, absmax, scales, offset, bias = (*inputs, None)[:6]
        ctx.save_for_backward(codes, absmax, scales, offset)
        ctx.has_bias, ctx.shape = bias is not None, x.shape

    def backward(self, ctx, dy) -> tuple:
        dequantize, matmul = self.functions["nf4_dequantize"], self.functions["matmul"]
        rows = dy.reshape(-1, dy.shape[-1])  # (rows, n)
        # The type's name in a contract: f16, bf16, f32.
        name = {torch.float16: "f16", torch.bfloat16: "bf16"}.get(dy.dtype, "")
        first = getattr(ctx, "tensors_from", 0)
        dx = dbias = None
        if ctx.needs_input_grad[first]:
            w = dequantize(*ctx.saved_tensors, w_dtype=name).flatten(-2)  # (n, k)
            dx = matmul(rows, w).reshape(ctx.shape)
        if ctx.has_bias:
            # Sums of 16-bit numbers are taken in float, as the kernels take them.
            wide = torch.promote_types(dy.dtype, torch.float32)
            dbias = rows.sum(0, dtype=wide).to(dy.dtype)
        return dx, None, None, None, None, dbias


GRADIENTS = {"nf4_matmul": Gradient}
AUTOCAST = ("nf4_matmul",)
