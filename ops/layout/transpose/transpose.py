"""y = x transposed in Triton: a tile in, transposed, out; autotune picks its shape.

Against 04_swizzled.cu: both read rows and write rows, and transpose the tile in shared memory. There the
swizzle that keeps the columns of a tile off one bank is the whole rung; here `tl.trans` names what is wanted,
and the compiler picks the layouts and the padding. What stays the programmer's is the shape of the tile, and
that is what `autotune` is for: it runs each shape once for small and once for large tensors and keeps the
quickest.
"""

import torch
import triton
import triton.language as tl
from triton import knobs

SHAPES = [
    triton.Config({"ROWS": 64, "COLS": 64}, num_warps=4),
    triton.Config({"ROWS": 64, "COLS": 32}, num_warps=4),
    triton.Config({"ROWS": 32, "COLS": 128}, num_warps=8),
    triton.Config({"ROWS": 128, "COLS": 64}, num_warps=8),
]


# The interpreter has no clock: with one shape there is nothing to try.
@triton.autotune(SHAPES[:1] if knobs.runtime.interpret else SHAPES, key=["large"])
@triton.jit
def transpose_kernel(x, y, rows, cols, large, ROWS: tl.constexpr, COLS: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.program_id(1).to(tl.int64) * COLS + tl.arange(0, COLS)  # (COLS,)
    tile = tl.load(  # (ROWS, COLS), neighbours along a row
        x + r[:, None] * cols + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < cols)
    )
    tl.store(  # (COLS, ROWS), neighbours along a row again
        y + c[:, None] * rows + r[None, :],
        tl.trans(tile),
        mask=(c[:, None] < cols) & (r[None, :] < rows),
    )


def transpose(x: torch.Tensor) -> torch.Tensor:
    x = x.contiguous()
    rows, cols = x.shape
    y = x.new_empty(cols, rows)
    if x.numel():
        large = int(x.numel() >= 1 << 20)

        def grid(shape):  # rows first: only the first axis may be longer than 65535
            return triton.cdiv(rows, shape["ROWS"]), triton.cdiv(cols, shape["COLS"])

        transpose_kernel[grid](x, y, rows, cols, large)
    return y
