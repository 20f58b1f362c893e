"""The gradient of norm, from its input and result."""

import torch


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        ctx.save_for_backward(inputs[0], output)
        ctx.kind, ctx.p = keyword_only_inputs["kind"], keyword_only_inputs["p"]

    def backward(self, ctx, dy) -> tuple:
        x, y = ctx.saved_tensors
        dy, y = dy.unsqueeze(-1), y.unsqueeze(-1)
        if ctx.kind == "one":
            return (dy * x.sign(),)
        if ctx.kind == "infinity":  # shared by the elements that have it
            largest = x.abs() == y
            return (dy * x.sign() * largest / largest.sum(-1, keepdim=True),)
        if ctx.kind == "two":
            slope = x / y
        else:
            slope = x.sign() * (x.abs() / y) ** (ctx.p - 1)
        return (dy * torch.where(y == 0, torch.zeros_like(x), slope),)


GRADIENTS = {"norm": Gradient}
