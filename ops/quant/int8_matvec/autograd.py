"""The gradient of int8_matvec: that of x and of the bias. The weights are frozen."""

import torch


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        _, codes, scales, bias = (*inputs, None)[:4]
        ctx.save_for_backward(codes, scales)
        ctx.has_bias, ctx.shape = bias is not None, inputs[0].shape

    def backward(self, ctx, dy) -> tuple:
        codes, scales = ctx.saved_tensors
        rows = dy.reshape(-1, dy.shape[-1])  # (rows, n)
        first = getattr(ctx, "tensors_from", 0)
        dx = dbias = None
        # Sums of 16-bit numbers are taken in float, as the kernels take them.
        wide = torch.promote_types(dy.dtype, torch.float32)
        if ctx.needs_input_grad[first]:
            w = (codes.to(wide) - 128) * scales[:, None]
            dx = self.functions["matmul"](rows, w.to(dy.dtype)).reshape(ctx.shape)
        if ctx.has_bias:
            dbias = rows.sum(0, dtype=wide).to(dy.dtype)
        return dx, None, None, dbias


GRADIENTS = {"int8_matvec": Gradient}
AUTOCAST = ("int8_matvec",)
