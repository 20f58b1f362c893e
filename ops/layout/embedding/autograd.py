"""The gradient of embedding: both tables get theirs from embedding_backward."""

import torch


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        given = self.op.named(inputs)
        names = ("table", "ids", "position_table", "positions")
        ctx.has = [given.get(name) is not None for name in names]
        ctx.save_for_backward(
            *(given[name] for name, has in zip(names, ctx.has, strict=True) if has)
        )
        ctx.padding_idx = keyword_only_inputs["padding_idx"]

    def backward(self, ctx, dy) -> tuple:
        saved = iter(ctx.saved_tensors)
        table, ids, position_table, positions = (next(saved) if has else None for has in ctx.has)
        backward = self.functions["embedding_backward"]
        first = getattr(ctx, "tensors_from", 0)
        wanted = ctx.needs_input_grad[first:]
        dtable = dposition_table = None
        if wanted[0]:
            dtable = backward(dy, ids, table, padding_idx=ctx.padding_idx)
        if position_table is not None and wanted[2]:
            if positions is None:
                places = torch.arange(ids.shape[-1], device=ids.device, dtype=ids.dtype)
                positions = places.expand(ids.shape)
            dposition_table = backward(dy, positions, position_table)
        return dtable, None, dposition_table, None


GRADIENTS = {"embedding": Gradient}
