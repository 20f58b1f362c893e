"""The gradients of segment_sum and segment_sum_by_id, each by the op beside it."""


class _Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        x, index = inputs
        ctx.kind = keyword_only_inputs["kind"]
        ctx.rows = x.shape[0]
        # Only a maximum has to know which rows have it.
        ctx.save_for_backward(index, *((x, output) if ctx.kind == "max" else ()))


class ByOffsets(_Gradient):
    def backward(self, ctx, dy) -> tuple:
        offsets, *maxima = ctx.saved_tensors
        call = self.functions["segment_sum_backward"]
        return call(dy.contiguous(), offsets, *maxima, n=ctx.rows, kind=ctx.kind), None


class ById(_Gradient):
    def backward(self, ctx, dy) -> tuple:
        ids, *maxima = ctx.saved_tensors
        call = self.functions["segment_sum_by_id_backward"]
        return call(dy.contiguous(), ids, *maxima, kind=ctx.kind), None


GRADIENTS = {"segment_sum": ByOffsets, "segment_sum_by_id": ById}
