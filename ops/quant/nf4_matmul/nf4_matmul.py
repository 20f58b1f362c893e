"""y = x @ w^T + bias with w in NF4, in Triton: a program reads the codes of some rows of w once and uses them for every row of x.

Against 03_vector.cu: the same plan, a block of 64 weights at a time; the lookup is a load from a table of sixteen floats, which
comes from L1 in place of shared memory. The even and the odd columns of x are loaded apart, so the two halves of a byte
need not be put side by side.
"""

import torch
import triton
import triton.language as tl

STRIP = 16  # columns of y a program makes

_VALUES = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
    0.7229568362236023, 1.0,
)  # fmt: skip


def values(device: torch.device) -> torch.Tensor:
    return torch.tensor(_VALUES, device=device)


def eight_bits(device: torch.device) -> torch.Tensor:
    """The 256 values of an absmax, as make_map of nf4.h computes them."""
    positive = []
    one, tenth = torch.tensor(1.0).double(), torch.tensor(0.1).double()
    for i in range(7):
        steps = 2**i
        step = ((one.float() - tenth.float()) / steps).double()
        s = torch.arange(steps + 1, dtype=torch.float64)
        lower = s < (steps + 1) // 2
        edges = torch.where(lower, tenth + step * s, one - step * (steps - s)).float()
        middle = (edges[:-1] + edges[1:]) / 2
        positive.append((float(f"1e{i - 6}") * middle.double()).float())
    positive = torch.cat(positive)
    zero, last = torch.zeros(1), torch.ones(1)
    return torch.cat([-positive.flip(0), zero, positive, last]).to(device)


@triton.jit
def nf4_matmul_kernel(
    x, codes, absmax, scales, offset, bias, y, values, eight, rows, n, blocks,
    HAS_BIAS: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    j = tl.program_id(0).to(tl.int64) * N + tl.arange(0, N)  # (N,)
    r = tl.program_id(1).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    i = tl.arange(0, 32)
    there, given = j < n, r < rows
    mean = tl.load(offset)
    sums = tl.zeros((ROWS, N), tl.float32)
    for at in range(blocks):
        b = j * blocks + at
        a = tl.load(absmax + b, mask=there, other=0).to(tl.int32)
        factor = tl.load(eight + a) * tl.load(scales + b // 256, mask=there, other=0.0) + mean
        byte = tl.load(codes + b[:, None] * 32 + i[None, :], mask=there[:, None], other=0)
        byte = byte.to(tl.int32)  # (N, 32)
        from_x = x + r[:, None] * (blocks * 64) + at * 64 + 2 * i[None, :]
        even = tl.load(from_x, mask=given[:, None], other=0.0).to(tl.float32)  # (ROWS, 32)
        odd = tl.load(from_x + 1, mask=given[:, None], other=0.0).to(tl.float32)
        high, low = tl.load(values + (byte >> 4)), tl.load(values + (byte & 15))
        pairs = even[:, None, :] * high[None, :, :] + odd[:, None, :] * low[None, :, :]
        sums += tl.sum(pairs, 2) * factor[None, :]
    if HAS_BIAS:
        sums += tl.load(bias + j, mask=there, other=0.0).to(tl.float32)[None, :]
    inside = given[:, None] & there[None, :]
    tl.store(y + r[:, None] * n + j[None, :], sums.to(y.dtype.element_ty), mask=inside)


def nf4_matmul(
    x: torch.Tensor,
    codes: torch.Tensor,
    absmax: torch.Tensor,
    scales: torch.Tensor,
    offset: torch.Tensor,
    bias: torch.Tensor | None = None,
) -> torch.Tensor:
    n, blocks = absmax.shape
    y = x.new_empty(*x.shape[:-1], n)
    if y.numel() == 0:
        return y
    rows = y.numel() // n
    # One, four or eight rows at a time: three kernels are compiled, not one for every number.
    at_once = 1 if rows == 1 else 4 if rows <= 4 else 8
    grid = triton.cdiv(n, STRIP), triton.cdiv(rows, at_once)
    nf4_matmul_kernel[grid](
        x.contiguous(),
        codes.contiguous(),
        absmax.contiguous(),
        scales,
        offset,
        bias,
        y,
        values(x.device),
        eight_bits(x.device),
        rows,
        n,
        blocks,
        HAS_BIAS=bias is not None,
        ROWS=at_once,
        N=STRIP,
    )
    return y
