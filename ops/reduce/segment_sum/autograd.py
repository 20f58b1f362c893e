"""The gradient of segment_sum: each row gets that of its segment; of a maximum, the rows that have it share it."""

import torch


class Gradient:
    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        ctx.save_for_backward(*inputs, output)
        ctx.kind = keyword_only_inputs["kind"]

    def backward(self, ctx, dy) -> tuple:
        x, offsets, y = ctx.saved_tensors
        # The segment of each row, without waiting for a length: how many segments have begun by then. Rows in none
        # get the number of a row of zeros behind the last.
        rows = torch.arange(x.shape[0], device=x.device, dtype=offsets.dtype)
        segment = torch.searchsorted(offsets, rows, right=True) - 1
        segment = torch.where(segment < 0, dy.shape[0], segment)
        dy = torch.cat([dy, dy.new_zeros(1, dy.shape[1])])
        if ctx.kind == "mean":
            lengths = torch.cat([offsets.diff(), offsets.new_ones(1)])
            return (dy[segment] / lengths[segment].unsqueeze(1), None)
        if ctx.kind == "sum":
            return (dy[segment], None)
        y = torch.cat([y, y.new_zeros(1, y.shape[1])])
        largest = (x == y[segment]).to(torch.float32)
        shares = torch.zeros(y.shape, dtype=torch.float32, device=x.device)
        shares.index_add_(0, segment, largest)
        return ((dy[segment] * largest / shares[segment].clamp(min=1)).to(x.dtype), None)


GRADIENTS = {"segment_sum": Gradient}
