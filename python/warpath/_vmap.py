"""Batching rules from the contracts."""

from collections.abc import Callable

import torch

from warpath._contract import Op


def _rows_only(op: Op) -> bool:
    """True when a batch is just one more leading axis: every tensor has leading axes, all the same."""
    if any(s.name == "seed" for s in op.scalars):
        return False  # what is drawn depends on an element's place in the whole tensor
    leading = {a.leading for a in (*op.tensors, *op.outputs)}
    return len(leading) == 1 and "" not in leading


def rule(op: Op, functions: dict[str, Callable]) -> Callable:
    """The batch as one more leading axis where the op has leading axes, otherwise one call per item."""

    def rows(info, in_dims, *args, **kwargs):
        def front(tensor, dim):
            if tensor is None:
                return None
            if dim is None:
                return tensor.expand(info.batch_size, *tensor.shape)
            return tensor.movedim(dim, 0)

        tensors = [front(t, d) for t, d in zip(args, in_dims, strict=True)]
        result = functions[op.name](*tensors, **kwargs)
        return result, tuple(0 for _ in result) if isinstance(result, tuple) else 0

    def each(info, in_dims, *args, **kwargs):
        def one(tensor, dim, i):
            return tensor if dim is None else tensor.select(dim, i)

        if info.batch_size == 0:
            raise ValueError(f"warpath::{op.name}: vmap over an axis of no elements")
        results = [
            functions[op.name](
                *(one(t, d, i) for t, d in zip(args, in_dims, strict=True)), **kwargs
            )
            for i in range(info.batch_size)
        ]
        if isinstance(results[0], tuple):
            stacked = tuple(torch.stack(r) for r in zip(*results, strict=True))
            return stacked, tuple(0 for _ in stacked)
        return torch.stack(results), 0

    return rows if _rows_only(op) else each
