"""The gradient of dot: dy of each row, times the other tensor."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        ctx.save_for_backward(*inputs)

    def backward(self, ctx, dz) -> tuple:
        x, y = ctx.saved_tensors
        first = getattr(ctx, "tensors_from", 0)
        wanted = ctx.needs_input_grad[first:]
        dz = dz.unsqueeze(-1)
        return dz * y if wanted[0] else None, dz * x if wanted[1] else None


GRADIENTS = {"dot": Gradient}
