"""The gradients of fused_elementwise: those of its steps, from the last to the first."""

import torch


class Gradient:
    """y = scale * (activation(z) + residual) with z = x + bias. The activation's argument is computed again in the
    backward pass rather than kept, and as in the forward pass every step is taken in float."""

    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        x, bias = (*inputs, None)[:2]
        ctx.has_bias = bias is not None
        ctx.named = {name: keyword_only_inputs[name] for name in ("activation", "scale")}
        if ctx.named["activation"] != "none":
            ctx.save_for_backward(x, *([bias] if ctx.has_bias else []))

    def backward(self, ctx, dy) -> tuple:
        kind, scale = ctx.named["activation"], ctx.named["scale"]
        first = getattr(ctx, "tensors_from", 0)
        wanted = (*ctx.needs_input_grad[first:], False, False)[:3]
        wide = torch.promote_types(dy.dtype, torch.float32)
        d = dy.to(wide) * scale  # of the residual, and of the activation's result
        dresidual = d.to(dy.dtype) if wanted[2] else None
        if kind != "none" and (wanted[0] or wanted[1]):
            x, *bias = ctx.saved_tensors
            z = x.to(wide)
            if bias:
                z = z + bias[0].to(wide)
            named = {"approximate": "tanh"} if kind == "gelu" else {}
            d = self.functions[f"{kind}_backward"](z, d, **named)
        dx = d.to(dy.dtype) if wanted[0] else None
        dbias = d.sum_to_size(d.shape[-1]).to(dy.dtype) if wanted[1] else None
        return dx, dbias, dresidual


GRADIENTS = {"fused_elementwise": Gradient}
