"""c = a + b in Triton for matrices with any strides: one program per tile of rows and columns.

Against 03_vector.cu: strides are arguments here too. Triton makes a version of the kernel for strides of 1 by itself, and
loads vectors where it knows that pitches are multiples of 16; the CUDA rung asks these questions in its launcher.
"""

import torch
import triton
import triton.language as tl

ROWS, COLS = 8, 512  # of a tile


@triton.jit
def add_kernel(
    a, b, c, rows, cols, a_pitch, a_step, b_pitch, b_step, ROWS: tl.constexpr, COLS: tl.constexpr
):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]  # (ROWS, 1)
    k = tl.program_id(1).to(tl.int64) * COLS + tl.arange(0, COLS)[None, :]  # (1, COLS)
    inside = (r < rows) & (k < cols)
    left = tl.load(a + r * a_pitch + k * a_step, mask=inside).to(tl.float32)
    right = tl.load(b + r * b_pitch + k * b_step, mask=inside).to(tl.float32)
    tl.store(c + r * cols + k, (left + right).to(c.dtype.element_ty), mask=inside)


def matrix_add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    c = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    rows, cols = c.shape
    if c.numel():
        grid = triton.cdiv(rows, ROWS), triton.cdiv(cols, COLS)
        add_kernel[grid](a, b, c, rows, cols, *a.stride(), *b.stride(), ROWS=ROWS, COLS=COLS)
    return c
