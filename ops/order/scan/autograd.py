"""The gradient of scan: of a sum, the sum in the other direction. A maximum and a product have none here."""


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        given = self.op.named(inputs)
        ctx.kind = keyword_only_inputs["kind"]
        ctx.exclusive = keyword_only_inputs["exclusive"]
        ctx.reverse = keyword_only_inputs["reverse"]
        heads = given.get("heads")
        ctx.save_for_backward(*(() if heads is None else (heads,)))

    def backward(self, ctx, dy) -> tuple:
        if ctx.kind != "sum":
            raise NotImplementedError(f"warpath::scan has no gradient for kind={ctx.kind!r}")
        heads = ctx.saved_tensors[0] if ctx.saved_tensors else None
        scan = self.functions["scan"]
        dx = scan(dy.contiguous(), heads, exclusive=ctx.exclusive, reverse=not ctx.reverse)
        return dx, None


GRADIENTS = {"scan": Gradient}
