"""Rope and its gradient in Triton: one program per token, all heads of q and k.

Against 04_vector.cu: a program computes the angles of its token once and keeps them in registers, where the CUDA rung, whose
blocks take rows of several tokens, leaves them in shared memory. Pairs of halves are two loads of neighbouring elements;
neighbours are loads of every second element, which the compiler cannot merge into one of 16 bytes: the CUDA rung loads
whole vectors and pairs within them. Frequencies and angles are in float64 in both. Cosines are too here, once per token and
pair: in float32 Triton has only the approximate ones.
"""

import math

import torch
import triton
import triton.language as tl

HEADS = 8  # per step of a program


@triton.jit
def turn_heads(
    x, y, token, heads, dim, pairs, c, s, NEIGHBOURS: tl.constexpr, HEADS: tl.constexpr,
    PAIRS: tl.constexpr, REST: tl.constexpr
):  # fmt: skip
    pair = tl.arange(0, PAIRS)
    one = (2 * pair if NEIGHBOURS else pair)[None, :]
    two = (2 * pair + 1 if NEIGHBOURS else pair + pairs)[None, :]
    for first in range(0, heads, HEADS):
        head = first + tl.arange(0, HEADS)
        row = ((token * heads + head) * dim)[:, None]
        inside = (head < heads)[:, None] & (pair < pairs)[None, :]  # (HEADS, PAIRS)
        a = tl.load(x + row + one, mask=inside).to(tl.float32)
        b = tl.load(x + row + two, mask=inside).to(tl.float32)
        tl.store(y + row + one, (a * c - b * s).to(y.dtype.element_ty), mask=inside)
        tl.store(y + row + two, (b * c + a * s).to(y.dtype.element_ty), mask=inside)
        if REST > 0:  # elements that pass unchanged
            rest = 2 * pairs + tl.arange(0, REST)
            left = (head < heads)[:, None] & (rest < dim)[None, :]
            same = tl.load(x + row + rest[None, :], mask=left)
            tl.store(y + row + rest[None, :], same, mask=left)


@triton.jit
def rope_kernel(
    q, k, q_out, k_out, positions, turns, sequence, heads, kv_heads, dim, pairs, sign,
    GIVEN: tl.constexpr, NEIGHBOURS: tl.constexpr, HEADS: tl.constexpr, PAIRS: tl.constexpr,
    REST: tl.constexpr
):  # fmt: skip
    token = tl.program_id(0).to(tl.int64)
    position = tl.load(positions + token) if GIVEN else token % sequence
    pair = tl.arange(0, PAIRS)
    angle = position.to(tl.float64) * tl.load(turns + pair, mask=pair < pairs, other=0.0)
    angle = (angle - tl.floor(angle)) * 6.283185307179586  # (PAIRS,)
    c = tl.cos(angle).to(tl.float32)[None, :]
    s = sign * tl.sin(angle).to(tl.float32)[None, :]
    turn_heads(q, q_out, token, heads, dim, pairs, c, s, NEIGHBOURS, HEADS, PAIRS, REST)
    turn_heads(k, k_out, token, kv_heads, dim, pairs, c, s, NEIGHBOURS, HEADS, PAIRS, REST)


def _turned(sign, q, k, positions, pairs, rotary_dim, base, factor, low, high, original):
    q = q.contiguous()
    *lead, sequence, heads, dim = q.shape
    k = q.new_empty(*lead, sequence, 0, dim) if k is None else k.contiguous()
    q_out, k_out = torch.empty_like(q), torch.empty_like(k)
    rotary_dim = rotary_dim or dim
    count = rotary_dim // 2
    tokens = math.prod(lead) * sequence
    if tokens * dim * (heads + k.shape[-2]):
        f = base ** (-torch.arange(count, device=q.device, dtype=torch.float64) / count)
        if factor != 1:
            smooth = ((original * f / (2 * math.pi) - low) / (high - low)).clip(0, 1)
            f = f * (smooth + (1 - smooth) / factor)
        rest = dim - rotary_dim
        rope_kernel[(tokens,)](
            q,
            k,
            q_out,
            k_out,
            q if positions is None else positions.contiguous(),
            f / (2 * math.pi),
            sequence,
            heads,
            k.shape[-2],
            dim,
            count,
            float(sign),
            GIVEN=positions is not None,
            NEIGHBOURS=pairs == "neighbours",
            HEADS=HEADS,
            PAIRS=triton.next_power_of_2(max(count, 1)),
            REST=triton.next_power_of_2(rest) if rest else 0,
        )
    return q_out, k_out


def rope(
    q: torch.Tensor,
    k: torch.Tensor | None = None,
    positions: torch.Tensor | None = None,
    pairs: str = "halves",
    rotary_dim: int = 0,
    base: float = 10000.0,
    factor: float = 1.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
    original_max_position: int = 8192,
) -> tuple[torch.Tensor, torch.Tensor]:
    scaling = (factor, low_freq_factor, high_freq_factor, original_max_position)
    return _turned(1, q, k, positions, pairs, rotary_dim, base, *scaling)


def rope_backward(
    dq_out: torch.Tensor,
    dk_out: torch.Tensor | None = None,
    positions: torch.Tensor | None = None,
    pairs: str = "halves",
    rotary_dim: int = 0,
    base: float = 10000.0,
    factor: float = 1.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
    original_max_position: int = 8192,
) -> tuple[torch.Tensor, torch.Tensor]:
    scaling = (factor, low_freq_factor, high_freq_factor, original_max_position)
    return _turned(-1, dq_out, dk_out, positions, pairs, rotary_dim, base, *scaling)
