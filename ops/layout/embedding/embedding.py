"""Embedding and the gradient of its table in Triton.

Forward as 02_warp.cu has it: one program per token and piece of its row, with the width of a load left to the compiler.
Backward, the tokens are sorted by id outside of Triton, by torch.sort, which is stable: then the tokens of a row lie
together in their order, and one program per row and piece adds them. 04_chunks in CUDA needs no sort of all ids, and cuts
the frequent rows into chunks; here one program adds all tokens of a row, one after the other.
"""

import torch
import triton
import triton.language as tl

_COLS = 1024


@triton.jit
def embedding_kernel(
    table, ids, position_table, positions, y, seq, width, ADD: tl.constexpr, GIVEN: tl.constexpr,
    COLS: tl.constexpr,
):  # fmt: skip
    t = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    inside = c < width
    row = tl.load(table + tl.load(ids + t).to(tl.int64) * width + c, mask=inside)
    if ADD:
        at = tl.load(positions + t).to(tl.int64) if GIVEN else t % seq
        extra = tl.load(position_table + at * width + c, mask=inside)
        row = (row.to(tl.float32) + extra.to(tl.float32)).to(y.dtype.element_ty)
    tl.store(y + t * width + c, row, mask=inside)


@triton.jit
def embedding_backward_kernel(dy, order, starts, dtable, width, padding, COLS: tl.constexpr):
    v = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * COLS + tl.arange(0, COLS)
    inside = c < width
    first = tl.load(starts + v)
    end = tl.where(v == padding, first, tl.load(starts + v + 1))
    total = tl.zeros((COLS,), tl.float32)
    for i in range(first, end):
        t = tl.load(order + i)
        total += tl.load(dy + t * width + c, mask=inside, other=0).to(tl.float32)
    tl.store(dtable + v * width + c, total.to(dtable.dtype.element_ty), mask=inside)


def embedding(
    table: torch.Tensor,
    ids: torch.Tensor,
    position_table: torch.Tensor | None = None,
    positions: torch.Tensor | None = None,
    padding_idx: int = -1,
) -> torch.Tensor:
    table, ids = table.contiguous(), ids.contiguous()
    width = table.shape[1]
    y = torch.empty(*ids.shape, width, dtype=table.dtype, device=table.device)
    if y.numel():
        add, given = position_table is not None, positions is not None
        embedding_kernel[(ids.numel(), triton.cdiv(width, _COLS))](
            table,
            ids,
            position_table.contiguous() if add else table,
            positions.contiguous() if given else ids,
            y,
            ids.shape[-1],
            width,
            ADD=add,
            GIVEN=given,
            COLS=_COLS,
        )
    return y


def embedding_backward(
    dy: torch.Tensor, ids: torch.Tensor, table: torch.Tensor, padding_idx: int = -1
) -> torch.Tensor:
    rows, width = table.shape
    dtable = torch.empty_like(table, memory_format=torch.contiguous_format)
    if dtable.numel():
        ordered, order = torch.sort(ids.reshape(-1), stable=True)
        edges = torch.arange(rows + 1, device=ids.device, dtype=ordered.dtype)
        starts = torch.searchsorted(ordered, edges)
        embedding_backward_kernel[(rows, triton.cdiv(width, _COLS))](
            dy.contiguous(), order, starts, dtable, width, padding_idx, COLS=_COLS
        )
    return dtable
