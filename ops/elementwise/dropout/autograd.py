"""The gradients of dropout: the mask is made again for x; the residual's is dy itself."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        ctx.has_residual = len(inputs) > 1 and inputs[1] is not None
        ctx.named = {name: keyword_only_inputs[name] for name in ("p", "seed", "offset")}

    def backward(self, ctx, dy) -> tuple:
        first = getattr(ctx, "tensors_from", 0)
        dx = None
        if ctx.needs_input_grad[first]:
            dx = self.functions["dropout_backward"](dy, **ctx.named)
        return dx, dy if ctx.has_residual else None


GRADIENTS = {"dropout": Gradient}
