"""matmul in Triton: a tile of d a program, walked through in groups of rows, shape found by trying.

Against 11_pipeline.cu: `tl.dot` is the mma.sync (on Hopper the wgmma) of the CUDA rungs, `num_stages` their
ring of copies, and the swizzle of shared memory is the compiler's. What stays is what this kernel spells out: the
shape of the tile, the order in which tiles are taken so that neighbours find each other's rows in L2, the masks at
the ends, and the epilogue on the sums while they are in registers. Strides are arguments, so the transposes of
a linear layer's backward pass are the same kernel. What it has no word for is the work of rungs 14 to 18: who loads
and who multiplies, what two blocks share, how the last round is cut.
"""

import torch
import triton
import triton.language as tl
from triton import knobs

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def _shape(m, n, k, warps, stages):
    return triton.Config({"M": m, "N": n, "K": k}, num_warps=warps, num_stages=stages)


SHAPES = [
    _shape(64, 64, 32, 4, 4),
    _shape(128, 128, 64, 8, 3),
    _shape(128, 256, 64, 8, 3),
    _shape(256, 128, 64, 8, 3),
]


# f32 tiles take twice the room: the largest shapes do not fit, and autotune leaves them out.
@triton.autotune(SHAPES[:1] if knobs.runtime.interpret else SHAPES, key=["size", "WIDE"])
@triton.jit
def matmul_kernel(
    a, b, c, bias, d,
    m, n, k, size, alpha, beta,
    a_batch, a_row, a_col, b_batch, b_row, b_col, c_batch, c_row, c_col,
    WIDE: tl.constexpr, TF32: tl.constexpr, HAS_C: tl.constexpr, HAS_BIAS: tl.constexpr,
    ACTIVATION: tl.constexpr, WIDEN: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):  # fmt: skip
    # A band of eight tiles' rows is walked column by column.
    tile, batch = tl.program_id(0), tl.program_id(1).to(tl.int64)
    down, across = (m + M - 1) // M, (n + N - 1) // N
    first = tile // (8 * across) * 8
    high = tl.minimum(down - first, 8)
    rest = tile % (8 * across)
    i = (first + rest % high).to(tl.int64) * M + tl.arange(0, M)  # (M,)
    j = (rest // high).to(tl.int64) * N + tl.arange(0, N)  # (N,)

    sums = tl.zeros((M, N), tl.float32)
    of_a = a + batch * a_batch + i[:, None] * a_row
    of_b = b + batch * b_batch + j[None, :] * b_col
    for at in range(0, k, K):
        l = at + tl.arange(0, K)  # (K,)
        x = tl.load(of_a + l[None, :] * a_col, mask=(i[:, None] < m) & (l[None, :] < k), other=0.0)
        y = tl.load(of_b + l[:, None] * b_row, mask=(l[:, None] < k) & (j[None, :] < n), other=0.0)
        if WIDEN:  # the interpreter would multiply the bits of bf16
            x, y = x.to(tl.float32), y.to(tl.float32)
        sums = tl.dot(x, y, sums, input_precision="tf32" if TF32 else "ieee")

    z = alpha * sums
    inside = (i[:, None] < m) & (j[None, :] < n)
    if HAS_C:
        place = c + batch * c_batch + i[:, None] * c_row + j[None, :] * c_col
        z += beta * tl.load(place, mask=inside, other=0.0).to(tl.float32)
    if HAS_BIAS:
        z += tl.load(bias + j, mask=j < n, other=0.0).to(tl.float32)[None, :]
    if ACTIVATION == "relu":
        z = tl.where(z < 0, 0.0, z)  # NaN stays
    elif ACTIVATION == "gelu":  # the form with tanh: 1 + tanh(y) is 2 / (1 + exp(-2 y))
        z = z / (1 + tl.exp(-1.5957691216057308 * (z + 0.044715 * z * z * z)))
    elif ACTIVATION == "silu":
        z = z / (1 + tl.exp(-z))
    at_d = d + (batch * m + i[:, None]) * n + j[None, :]
    tl.store(at_d, z.to(d.dtype.element_ty), mask=inside)


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    c: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    *,
    alpha: float = 1.0,
    beta: float = 1.0,
    activation: str = "none",
    tf32: bool = False,
    d_dtype: str = "",
) -> torch.Tensor:
    lead, (m, k), n = a.shape[:-2], a.shape[-2:], b.shape[-1]
    dtype = DTYPES.get(d_dtype) or (c.dtype if c is not None else a.dtype)
    d = torch.empty(*lead, m, n, dtype=dtype, device=a.device)
    if d.numel() == 0:
        return d

    def matrices(t):  # leading axes as one
        return t if t is None or t.dim() == 3 else t.reshape(-1, *t.shape[-2:])

    x, y, z = matrices(a), matrices(b), matrices(c if beta != 0 else None)
    no_strides = (0, 0, 0)

    def grid(shape):
        return triton.cdiv(m, shape["M"]) * triton.cdiv(n, shape["N"]), x.shape[0]

    matmul_kernel[grid](
        x, y, z, bias, d,
        m, n, k, int(m * n >= 1 << 20), alpha, beta,
        *x.stride(), *y.stride(), *(no_strides if z is None else z.stride()),
        WIDE=a.dtype == torch.float32, TF32=tf32, HAS_C=z is not None, HAS_BIAS=bias is not None,
        ACTIVATION=activation, WIDEN=knobs.runtime.interpret,
    )  # fmt: skip
    return d
