"""The gradients of attention: dq, dk and dv by attention_backward, from o and lse; no score is kept."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        q, k, v, *offsets = inputs
        o, lse = output
        ctx.save_for_backward(q, k, v, o, lse, *(t for t in offsets if t is not None))
        ctx.named = {n: value for n, value in keyword_only_inputs.items() if n != "rung"}
        ctx.mark_non_differentiable(lse)

    def backward(self, ctx, d_o, _) -> tuple:
        return (
            *self.functions["attention_backward"](d_o, *ctx.saved_tensors, **ctx.named),
            None,
            None,
        )


GRADIENTS = {"attention": Gradient}
AUTOCAST = ("attention",)
