"""The gradient of top_k: dy goes to the elements that were chosen."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        (x,) = inputs
        _, indices = output
        ctx.save_for_backward(indices)
        ctx.cols = x.shape[-1]

    def backward(self, ctx, dvalues, _dindices) -> tuple:
        (indices,) = ctx.saved_tensors
        return (self.functions["top_k_backward"](dvalues, indices, cols=ctx.cols),)


GRADIENTS = {"top_k": Gradient}
