"""NF4 with double quantisation in Triton: a program takes some blocks of 64 weights as a tile.

As 03_vector.cu, with the packing left to `tl.split`: the last axis of a tile of (blocks, 32, 2) becomes two tiles, the first and
the second weights of the pairs. The fifteen comparisons are a loop that is unrolled, against midpoints that are loaded once
each; the second level compares with 255 of them, a tile of its own. Back, `tl.join` puts the pairs together again.
"""

import torch
import triton
import triton.language as tl

BLOCKS = 16  # of a program

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


def _midpoints(table: torch.Tensor) -> torch.Tensor:
    return (table[:-1] + table[1:]) * 0.5


@triton.jit
def nf4_quantize_kernel(w, middle, codes, most, blocks, BLOCKS: tl.constexpr):
    b = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = b < blocks
    at = b[:, None] * 64 + tl.arange(0, 64)[None, :]
    x = tl.load(w + at, mask=inside[:, None], other=0.0).to(tl.float32)  # (BLOCKS, 64)
    largest = tl.max(tl.abs(x), 1)
    t = x * tl.div_rn(tl.full((BLOCKS,), 1.0, tl.float32), tl.maximum(largest, 2.0**-126))[:, None]
    code = tl.zeros((BLOCKS, 64), tl.int32)
    for i in tl.static_range(15):
        code += (t > tl.load(middle + i)).to(tl.int32)
    high, low = tl.split(code.reshape(BLOCKS, 32, 2))
    to = codes + b[:, None] * 32 + tl.arange(0, 32)[None, :]
    tl.store(to, (high * 16 + low).to(tl.uint8), mask=inside[:, None])
    tl.store(most + b, largest, mask=inside)


@triton.jit
def maxima_kernel(most, offset, middle, absmax, scales, blocks):
    b = tl.program_id(0).to(tl.int64) * 256 + tl.arange(0, 256)
    distance = tl.load(most + b, mask=b < blocks, other=0.0) - tl.load(offset)
    distance = tl.where(b < blocks, distance, 0.0)
    scale = tl.max(tl.abs(distance), 0)
    one = tl.full((1,), 1.0, tl.float32)
    t = distance * tl.div_rn(one, tl.maximum(scale, 2.0**-126) * one)
    i = tl.arange(0, 256)
    points = tl.load(middle + i, mask=i < 255, other=float("inf"))
    code = tl.sum((t[:, None] > points[None, :]).to(tl.int32), 1)
    tl.store(absmax + b, code.to(tl.uint8), mask=b < blocks)
    tl.store(scales + tl.program_id(0), scale)


@triton.jit
def nf4_dequantize_kernel(
    codes, absmax, scales, offset, values, eight, w, blocks, BLOCKS: tl.constexpr
):
    b = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = b < blocks
    a = tl.load(absmax + b, mask=inside, other=0).to(tl.int32)
    scale = tl.load(scales + b // 256, mask=inside, other=0.0)
    factor = tl.load(eight + a) * scale + tl.load(offset)
    i = tl.arange(0, 32)
    byte = tl.load(codes + b[:, None] * 32 + i[None, :], mask=inside[:, None], other=0).to(tl.int32)
    both = tl.join(tl.load(values + (byte >> 4)), tl.load(values + (byte & 15)))
    out = both.reshape(BLOCKS, 64) * factor[:, None]
    at = b[:, None] * 64 + tl.arange(0, 64)[None, :]
    tl.store(w + at, out.to(w.dtype.element_ty), mask=inside[:, None])


def nf4_quantize(w: torch.Tensor, groups: int = 0) -> tuple[torch.Tensor, ...]:
    shape, device = w.shape[:-1], w.device
    blocks = w.numel() // 64
    codes = torch.empty(*shape, 32, dtype=torch.uint8, device=device)
    absmax = torch.empty(shape, dtype=torch.uint8, device=device)
    scales = torch.empty(groups, device=device)
    if blocks == 0:
        return codes, absmax, scales, torch.zeros(1, device=device)
    most = torch.empty(blocks, device=device)
    nf4_quantize_kernel[(triton.cdiv(blocks, BLOCKS),)](
        w.contiguous(), _midpoints(values(device)), codes, most, blocks, BLOCKS=BLOCKS
    )
    offset = most.double().mean().float().reshape(1)
    middle = _midpoints(eight_bits(device))
    maxima_kernel[(groups,)](most, offset, middle, absmax, scales, blocks)
    return codes, absmax, scales, offset


def nf4_dequantize(
    codes: torch.Tensor,
    absmax: torch.Tensor,
    scales: torch.Tensor,
    offset: torch.Tensor,
    w_dtype: str = "",
) -> torch.Tensor:
    dtype = {"f16": torch.float16, "bf16": torch.bfloat16}.get(w_dtype, torch.float32)
    w = torch.empty(*absmax.shape, 64, dtype=dtype, device=codes.device)
    blocks = absmax.numel()
    if blocks:
        nf4_dequantize_kernel[(triton.cdiv(blocks, BLOCKS),)](
            codes.contiguous(),
            absmax.contiguous(),
            scales,
            offset,
            values(codes.device),
            eight_bits(codes.device),
            w,
            blocks,
            BLOCKS=BLOCKS,
        )
    return w
