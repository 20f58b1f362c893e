"""Embedding and the gradient of its table as other libraries say them: rows of `warpath compare embedding`."""

import numpy
import torch


def embedding_onnx(scalars, given):
    if "positions" in given:
        return """
            tokens = Gather <axis = 0> (table, ids)
            places = Gather <axis = 0> (position_table, positions)
            y = Add (tokens, places)
        """
    if "position_table" in given:
        return """
            shape = Shape <start = -1> (ids)
            zero = Constant <value_ints = [0]> ()
            tokens = Gather <axis = 0> (table, ids)
            places = Slice (position_table, zero, shape)
            y = Add (tokens, places)
        """
    return "y = Gather <axis = 0> (table, ids)"


def embedding_torch(table, ids, position_table=None, positions=None, *, padding_idx=-1):
    y = torch.nn.functional.embedding(ids, table)
    if position_table is None:
        return y
    if positions is None:
        return y + position_table[: ids.shape[-1]]
    return y + torch.nn.functional.embedding(positions, position_table)


def embedding_numpy(table, ids, position_table=None, positions=None, *, padding_idx=-1):
    y = table[ids]
    if position_table is None:
        return y
    return y + (position_table[: ids.shape[-1]] if positions is None else position_table[positions])


def embedding_backward_torch(dy, ids, table, *, padding_idx=-1):
    return torch.ops.aten.embedding_dense_backward(dy, ids, table.shape[0], padding_idx, False)


def embedding_backward_numpy(dy, ids, table, *, padding_idx=-1):
    sums = numpy.zeros(table.shape, numpy.float32)
    kept = ids != padding_idx
    numpy.add.at(sums, ids[kept], dy[kept])
    return sums.astype(table.dtype)
