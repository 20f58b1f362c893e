"""The gradients of matvec, y = x @ w^T + bias: products again, by matmul."""

import torch


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        x, w, bias = (*inputs, None)[:3]
        ctx.save_for_backward(x, w)
        ctx.has_bias = bias is not None

    def backward(self, ctx, dy) -> tuple:
        matmul = self.functions["matmul"]
        x, w = ctx.saved_tensors
        rows = dy.reshape(-1, dy.shape[-1])  # (rows, n)
        first = getattr(ctx, "tensors_from", 0)
        wants_x, wants_w = ctx.needs_input_grad[first : first + 2]
        dx = matmul(rows, w).reshape(x.shape) if wants_x else None
        dw = matmul(rows.mT, x.reshape(-1, x.shape[-1])) if wants_w else None
        dbias = None
        if ctx.has_bias:
            # Sums of 16-bit numbers are taken in float, as the kernels take them.
            wide = torch.promote_types(dy.dtype, torch.float32)
            dbias = rows.sum(0, dtype=wide).to(dy.dtype)
        return dx, dw, dbias


GRADIENTS = {"matvec": Gradient}
AUTOCAST = ("matvec",)
