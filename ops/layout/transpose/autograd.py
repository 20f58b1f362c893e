"""The gradient of transpose: the transpose of dy."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        pass

    def backward(self, ctx, dy) -> tuple:
        return (self.functions["transpose"](dy),)


GRADIENTS = {"transpose": Gradient}
