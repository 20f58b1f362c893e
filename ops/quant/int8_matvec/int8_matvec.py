"""Weights in eight bits with one scale per row, and their product with few rows of x, in Triton.

As quantize_02_block.cu and 03_vector.cu: one program per row for the codes; a strip of rows of w for the product, each of them
expanded once for all rows of x. How a byte becomes a float is the compiler's choice.
"""

import torch
import triton
import triton.language as tl

STRIP = 16  # columns of y a program makes


@triton.jit
def nearest(t):
    """To the nearest integer, ties to even: what an addition of 1.5 * 2^23 leaves behind."""
    return (t + 12582912.0) - 12582912.0


@triton.jit
def int8_quantize_kernel(w, codes, scales, k, TILE: tl.constexpr):
    j = tl.program_id(0).to(tl.int64)
    most = tl.zeros((TILE,), tl.float32)
    for at in range(0, k, TILE):
        l = at + tl.arange(0, TILE)
        most = tl.maximum(
            most, tl.abs(tl.load(w + j * k + l, mask=l < k, other=0.0).to(tl.float32))
        )
    largest = tl.max(most, 0)
    one = tl.full((1,), 1.0, tl.float32)
    factor = tl.div_rn(one * 127.0, one * tl.maximum(largest, 2.0**-119))
    for at in range(0, k, TILE):
        l = at + tl.arange(0, TILE)
        t = tl.load(w + j * k + l, mask=l < k, other=0.0).to(tl.float32) * factor
        tl.store(codes + j * k + l, (nearest(t) + 128.0).to(tl.uint8), mask=l < k)
    tl.store(scales + j + tl.arange(0, 1), tl.div_rn(one * largest, one * 127.0))


@triton.jit
def int8_dequantize_kernel(codes, scales, w, k, TILE: tl.constexpr):
    j = tl.program_id(0).to(tl.int64)
    l = tl.program_id(1) * TILE + tl.arange(0, TILE)
    code = tl.load(codes + j * k + l, mask=l < k, other=128).to(tl.float32)
    out = (code - 128.0) * tl.load(scales + j)
    tl.store(w + j * k + l, out.to(w.dtype.element_ty), mask=l < k)


@triton.jit
def int8_matvec_kernel(
    x, codes, scales, bias, y, rows, n, k, HAS_BIAS: tl.constexpr, ROWS: tl.constexpr,
    N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    j = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)  # (N,)
    r = tl.program_id(1).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    sums = tl.zeros((ROWS, N), tl.float32)
    for at in range(0, k, K):
        l = at + tl.arange(0, K)  # (K,)
        there = (j[:, None] < n) & (l[None, :] < k)
        code = tl.load(codes + j[:, None] * k + l[None, :], mask=there, other=128)
        of_w = code.to(tl.float32) - 128.0  # (N, K)
        of_x = tl.load(  # (ROWS, K)
            x + r[:, None] * k + l[None, :], mask=(r[:, None] < rows) & (l[None, :] < k), other=0.0
        ).to(tl.float32)
        sums += tl.sum(of_x[:, None, :] * of_w[None, :, :], 2)
    sums *= tl.load(scales + j, mask=j < n, other=0.0)[None, :]
    if HAS_BIAS:
        sums += tl.load(bias + j, mask=j < n, other=0.0).to(tl.float32)[None, :]
    inside = (r[:, None] < rows) & (j[None, :] < n)
    tl.store(y + r[:, None] * n + j[None, :], sums.to(y.dtype.element_ty), mask=inside)


def int8_quantize(w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    n, k = w.shape
    codes = torch.empty(n, k, dtype=torch.uint8, device=w.device)
    scales = torch.empty(n, device=w.device)
    if n:
        int8_quantize_kernel[(n,)](w.contiguous(), codes, scales, k, TILE=1024)
    return codes, scales


def int8_dequantize(codes: torch.Tensor, scales: torch.Tensor, w_dtype: str = "") -> torch.Tensor:
    n, k = codes.shape
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16}.get(w_dtype, torch.float32)
    w = torch.empty(n, k, dtype=dtype, device=codes.device)
    if w.numel():
        grid = n, triton.cdiv(k, 1024)
        int8_dequantize_kernel[grid](codes.contiguous(), scales, w, k, TILE=1024)
    return w


def int8_matvec(
    x: torch.Tensor,
    codes: torch.Tensor,
    scales: torch.Tensor,
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    n, k = codes.shape
    y = x.new_empty(*x.shape[:-1], n)
    if y.numel() == 0:
        return y
    rows = y.numel() // n
    # One, four or eight rows at a time: three kernels are compiled, not one for every number.
    at_once = 1 if rows == 1 else 4 if rows <= 4 else 8
    grid = triton.cdiv(n, STRIP), triton.cdiv(rows, at_once)
    int8_matvec_kernel[grid](
        x.contiguous(), codes.contiguous(), scales, bias, y, rows, n, k,
        HAS_BIAS=bias is not None, ROWS=at_once, N=STRIP, K=128,
    )  # fmt: skip
    return y
