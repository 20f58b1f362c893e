"""The gradients of patchify and unpatchify: each is the other op."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.inverse = functions["unpatchify" if op.name == "patchify" else "patchify"]

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        pass

    def backward(self, ctx, gradient) -> tuple:
        return (self.inverse(gradient),)


GRADIENTS = {"patchify": Gradient, "unpatchify": Gradient}
