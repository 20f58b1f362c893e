"""Dot products of rows in Triton: a tile of partial sums that walks along both tensors.

Against 05_single_pass.cu: Triton picks the width of the loads and makes the tree of shuffles from `tl.sum`. A long row takes
two launches here: the first leaves one partial sum per stretch, the second adds those up.
"""

import torch
import triton
import triton.language as tl

STRETCH = 1 << 17  # pairs of a row that one program takes, where rows are long and few


@triton.jit
def dot_kernel(
    x, y, z, rows, cols, stretch, parts, PAIRS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    first = tl.program_id(1).to(tl.int64) * stretch
    last = tl.minimum(first + stretch, cols)
    total = tl.zeros((ROWS, COLS), tl.float32)
    for at in range(first, last, COLS):
        c = at + tl.arange(0, COLS)  # (COLS,)
        inside = (r[:, None] < rows) & (c[None, :] < last)
        place = r[:, None] * cols + c[None, :]
        term = tl.load(x + place, mask=inside, other=0).to(tl.float32)
        if PAIRS:
            term *= tl.load(y + place, mask=inside, other=0).to(tl.float32)
        total += term
    result = tl.sum(total, 1)  # (ROWS,)
    tl.store(z + r * parts + tl.program_id(1), result.to(z.dtype.element_ty), mask=r < rows)


def _launch(x: torch.Tensor, y: torch.Tensor | None, z: torch.Tensor, stretch: int) -> None:
    rows, cols = x.shape
    parts = triton.cdiv(max(cols, 1), stretch)
    # Three shapes, so that few are compiled: many short rows, some of middle length, one stretch.
    tile = (64, 32) if cols <= 64 else (8, 256) if cols <= 2048 else (1, 4096)
    dot_kernel[triton.cdiv(rows, tile[0]), parts](
        x, x if y is None else y, z, rows, cols, stretch, parts, PAIRS=y is not None,
        ROWS=tile[0], COLS=tile[1],
    )  # fmt: skip


def dot(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    z = x.new_empty(x.shape[:-1])
    if z.numel() == 0:
        return z
    cols = x.shape[-1]
    rows = z.numel()
    x, y = x.contiguous().view(rows, cols), y.contiguous().view(rows, cols)
    if cols <= STRETCH or rows >= 1024:
        _launch(x, y, z.view(-1), max(cols, 1))
        return z
    partial = torch.empty(rows, triton.cdiv(cols, STRETCH), dtype=torch.float32, device=x.device)
    _launch(x, y, partial, STRETCH)
    _launch(partial, None, z.view(-1), partial.shape[1])
    return z
