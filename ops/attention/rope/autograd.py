"""The gradients of rope: dq and dk by rope_backward, nothing kept but the positions."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        _, k, positions = (*inputs, None, None)[:3]
        ctx.has_k = k is not None
        ctx.save_for_backward(*(() if positions is None else (positions,)))
        ctx.named = {n: v for n, v in keyword_only_inputs.items() if n != "rung"}

    def backward(self, ctx, dq_out, dk_out) -> tuple:
        positions = ctx.saved_tensors[0] if ctx.saved_tensors else None
        backward = self.functions["rope_backward"]
        dq, dk = backward(dq_out, dk_out if ctx.has_k else None, positions, **ctx.named)
        return dq, dk if ctx.has_k else None, None


GRADIENTS = {"rope": Gradient}
