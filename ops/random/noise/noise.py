"""Random numbers in Triton: the same Philox, the same numbers.

Against 04_quick.cu: `tl.philox` gives the words of core/thread/philox.cuh, so a twin can have the rungs' very numbers.
A program computes the four words of each group of four elements, makes two normal numbers of each two, and interleaves
them by two joins. `tl.randn` keeps one number of a call and throws the others away.
"""

import math

import torch
import triton
import triton.language as tl

TILE = 2048  # elements per program


@triton.jit
def normal_pair(a, b):
    u = a.to(tl.float32) * (1 / 4294967296.0) + (0.5 / 4294967296.0)
    angle = b.to(tl.int32, bitcast=True).to(tl.float32) * (3.141592653589793 / 2147483648.0)
    radius = tl.sqrt(-2 * tl.log(u))
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def uniform(word, DIGITS: tl.constexpr):
    return (word >> (32 - DIGITS)).to(tl.float32) * (1.0 / (1 << DIGITS))


@triton.jit
def coin(word, threshold):
    return tl.where(word.to(tl.int64) < threshold, 1.0, 0.0)


@triton.jit(do_not_specialize=["seed", "offset", "threshold"])
def noise_kernel(
    y, n, seed, offset, threshold, scale, shift, KIND: tl.constexpr, DIGITS: tl.constexpr,
    TILE: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0).to(tl.int64) * TILE
    group = first // 4 + tl.arange(0, TILE // 4)
    low = (group & 0xFFFFFFFF).to(tl.uint32)
    high = (group >> 32).to(tl.uint32)
    # 64 bits whatever the number: Triton takes small ones as 32.
    offset = offset.to(tl.int64)
    offset_low = (offset & 0xFFFFFFFF).to(tl.uint32) + low * 0
    offset_high = ((offset >> 32) & 0xFFFFFFFF).to(tl.uint32) + low * 0
    w0, w1, w2, w3 = tl.philox(seed, low, high, offset_low, offset_high)  # (TILE / 4,) each
    if KIND == "normal":
        d0, d1 = normal_pair(w0, w1)
        d2, d3 = normal_pair(w2, w3)
    elif KIND == "uniform":
        d0, d1 = uniform(w0, DIGITS), uniform(w1, DIGITS)
        d2, d3 = uniform(w2, DIGITS), uniform(w3, DIGITS)
    else:
        d0, d1 = coin(w0, threshold), coin(w1, threshold)
        d2, d3 = coin(w2, threshold), coin(w3, threshold)
    drawn = tl.join(tl.join(d0, d2), tl.join(d1, d3)).reshape(TILE)  # in the order of the elements
    at = first + tl.arange(0, TILE)
    tl.store(y + at, (shift + scale * drawn).to(y.dtype.element_ty), mask=at < n)


def noise(
    like: torch.Tensor,
    distribution: str = "normal",
    scale: float = 1.0,
    shift: float = 0.0,
    p: float = 0.5,
    seed: int = 0,
    offset: int = 0,
) -> torch.Tensor:
    y = torch.empty_like(like, memory_format=torch.contiguous_format)
    n = y.numel()
    if n:
        digits = {torch.float16: 11, torch.bfloat16: 8}.get(y.dtype, 24)
        noise_kernel[(triton.cdiv(n, TILE),)](
            y,
            n,
            seed,
            offset,
            math.floor(p * 2**32),
            scale,
            shift,
            KIND=distribution,
            DIGITS=digits,
            TILE=TILE,
        )
    return y
