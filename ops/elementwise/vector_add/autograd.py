"""The gradients of vector_add: both are dc itself."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        pass

    def backward(self, ctx, dc) -> tuple:
        return dc, dc


GRADIENTS = {"vector_add": Gradient}
