"""y = x @ w^T + bias for few rows of x, in Triton: a program reads a strip of w once and uses it for every row.

Against 03_vector.cu: the same plan, a stretch of k at a time, each element of w multiplied with all rows of x while it is
in registers. There a thread's sums are an array whose length is the number of rows; here the rows are an axis of a
three-dimensional tile, padded to a power of two, and `tl.sum` folds k. The tensor cores of rung 04 would want `tl.dot`,
whose shortest side is 16: for one row fifteen of sixteen products would be thrown away.
"""

import torch
import triton
import triton.language as tl

STRIP = 16  # columns of y a program makes


@triton.jit
def matvec_kernel(
    x, w, bias, y, rows, n, k, HAS_BIAS: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr,
    K: tl.constexpr,
):  # fmt: skip
    j = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)  # (N,)
    r = tl.program_id(1).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    sums = tl.zeros((ROWS, N), tl.float32)
    for at in range(0, k, K):
        l = at + tl.arange(0, K)  # (K,)
        of_w = tl.load(  # (N, K)
            w + j[:, None] * k + l[None, :], mask=(j[:, None] < n) & (l[None, :] < k), other=0.0
        ).to(tl.float32)
        of_x = tl.load(  # (ROWS, K)
            x + r[:, None] * k + l[None, :], mask=(r[:, None] < rows) & (l[None, :] < k), other=0.0
        ).to(tl.float32)
        sums += tl.sum(of_x[:, None, :] * of_w[None, :, :], 2)
    if HAS_BIAS:
        sums += tl.load(bias + j, mask=j < n, other=0.0).to(tl.float32)[None, :]
    inside = (r[:, None] < rows) & (j[None, :] < n)
    tl.store(y + r[:, None] * n + j[None, :], sums.to(y.dtype.element_ty), mask=inside)


def matvec(
    x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor | None = None, w_is_constant: bool = False
) -> torch.Tensor:
    n, k = w.shape
    y = x.new_empty(*x.shape[:-1], n)
    if y.numel() == 0:
        return y
    rows = y.numel() // n
    x, w = x.contiguous().view(rows, k), w.contiguous()
    # One, four or eight rows at a time: three kernels are compiled, not one for every number.
    at_once = 1 if rows == 1 else 4 if rows <= 4 else 8
    grid = triton.cdiv(n, STRIP), triton.cdiv(rows, at_once)
    matvec_kernel[grid](
        x, w, bias, y, rows, n, k, HAS_BIAS=bias is not None, ROWS=at_once, N=STRIP, K=128
    )
    return y
