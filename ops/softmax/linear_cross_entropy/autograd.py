"""The gradient of linear_cross_entropy: it was computed with the loss, and is scaled by what comes in for total."""


class Gradient:
    """loss, dhidden and dweight have no gradient of their own."""

    def __init__(self, op, functions: dict):
        self.op = op

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        loss, _, dhidden, dweight = output
        ctx.mark_non_differentiable(loss, dhidden, dweight)
        ctx.save_for_backward(dhidden, dweight)
        ctx.grad_scale = keyword_only_inputs["grad_scale"]

    def backward(self, ctx, dloss, dtotal, *_) -> tuple:
        scale = dtotal / ctx.grad_scale
        dhidden, dweight = (gradient * scale.to(gradient.dtype) for gradient in ctx.saved_tensors)
        return dhidden, dweight, None


GRADIENTS = {"linear_cross_entropy": Gradient}
AUTOCAST = ("linear_cross_entropy",)
