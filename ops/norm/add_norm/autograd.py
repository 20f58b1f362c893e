"""The gradient of add_norm: that of the sum goes to both of its terms."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        _, _, weight, bias = (*inputs, None, None)[:4]
        _, s, mean, rstd = output
        ctx.kind = keyword_only_inputs["kind"]
        ctx.with_weight, ctx.with_bias = weight is not None, bias is not None
        ctx.save_for_backward(s, mean, rstd, *([weight] if ctx.with_weight else []))
        ctx.mark_non_differentiable(mean, rstd)
        ctx.set_materialize_grads(False)

    def backward(self, ctx, dy, ds, *_) -> tuple:
        if dy is None:  # only the sum was used
            return ds, ds, None, None
        s, mean, rstd, *weight = ctx.saved_tensors
        dx, dweight, dbias = self.functions["add_norm_backward"](
            s, dy, mean, rstd, ds, *weight, kind=ctx.kind
        )
        return dx, dx, dweight if ctx.with_weight else None, dbias if ctx.with_bias else None


GRADIENTS = {"add_norm": Gradient}
