"""Keys and values into the cache in Triton: one program per new token, all heads of q, k and v.

Against 02_vector.cu: the same plan, a token's angles computed once for all its heads, here in registers. Pairs of neighbours are
loads of every second element, which the compiler cannot merge into one of 16 bytes. Cosines are in float64: in float32 Triton
has only approximate ones.
"""

import math

import torch
import triton
import triton.language as tl

HEADS = 8  # per step of a program


@triton.jit
def turn_heads(
    x, y, from_row, to_row, heads, dim, pairs, c, s, NEIGHBOURS: tl.constexpr, HEADS: tl.constexpr,
    PAIRS: tl.constexpr, REST: tl.constexpr
):  # fmt: skip
    pair = tl.arange(0, PAIRS)
    one = (2 * pair if NEIGHBOURS else pair)[None, :]
    two = (2 * pair + 1 if NEIGHBOURS else pair + pairs)[None, :]
    for first in range(0, heads, HEADS):
        head = first + tl.arange(0, HEADS)
        here, there = (
            ((from_row * heads + head) * dim)[:, None],
            ((to_row * heads + head) * dim)[:, None],
        )
        inside = (head < heads)[:, None] & (pair < pairs)[None, :]  # (HEADS, PAIRS)
        a = tl.load(x + here + one, mask=inside).to(tl.float32)
        b = tl.load(x + here + two, mask=inside).to(tl.float32)
        tl.store(y + there + one, (a * c - b * s).to(y.dtype.element_ty), mask=inside)
        tl.store(y + there + two, (b * c + a * s).to(y.dtype.element_ty), mask=inside)
        if REST > 0:  # elements that pass unchanged
            rest = 2 * pairs + tl.arange(0, REST)
            left = (head < heads)[:, None] & (rest < dim)[None, :]
            same = tl.load(x + here + rest[None, :], mask=left)
            tl.store(y + there + rest[None, :], same, mask=left)


@triton.jit
def cache_write_kernel(
    q, k, v, q_out, cache_k, cache_v, lengths, table, turns, tokens, heads, kv_heads, dim, pairs,
    page_size, max_pages, TABLE: tl.constexpr, NEIGHBOURS: tl.constexpr, HEADS: tl.constexpr,
    PAIRS: tl.constexpr, REST: tl.constexpr, DIM: tl.constexpr
):  # fmt: skip
    new = tl.program_id(0).to(tl.int64)
    sequence = new // tokens
    position = tl.load(lengths + sequence) - tokens + new % tokens
    pair = tl.arange(0, PAIRS)
    angle = position.to(tl.float64) * tl.load(turns + pair, mask=pair < pairs, other=0.0)
    angle = (angle - tl.floor(angle)) * 6.283185307179586  # (PAIRS,)
    c = tl.cos(angle).to(tl.float32)[None, :]
    s = tl.sin(angle).to(tl.float32)[None, :]
    turn_heads(q, q_out, new, new, heads, dim, pairs, c, s, NEIGHBOURS, HEADS, PAIRS, REST)
    if position >= 0:  # otherwise the token is padding
        row = sequence * page_size + position
        if TABLE:
            page = tl.load(table + sequence * max_pages + position // page_size).to(tl.int64)
            row = page * page_size + position % page_size
        turn_heads(k, cache_k, new, row, kv_heads, dim, pairs, c, s, NEIGHBOURS, HEADS, PAIRS, REST)
        for first in range(0, kv_heads * dim, DIM):
            d = first + tl.arange(0, DIM)
            inside = d < kv_heads * dim
            value = tl.load(v + new * kv_heads * dim + d, mask=inside)
            tl.store(cache_v + row * kv_heads * dim + d, value, mask=inside)


def cache_write(
    k: torch.Tensor,
    v: torch.Tensor,
    cache_k: torch.Tensor,
    cache_v: torch.Tensor,
    lengths: torch.Tensor,
    block_table: torch.Tensor | None = None,
    q: torch.Tensor | None = None,
    pairs: str = "halves",
    rotary_dim: int = 0,
    base: float = 10000.0,
    factor: float = 1.0,
    low_freq_factor: float = 1.0,
    high_freq_factor: float = 4.0,
    original_max_position: int = 8192,
) -> torch.Tensor:
    batch, tokens, kv_heads, dim = k.shape
    q = k.new_empty(batch, tokens, 0, dim) if q is None else q.contiguous()
    q_out = torch.empty_like(q)
    rotary_dim = 0 if pairs == "none" else rotary_dim or dim
    count = rotary_dim // 2
    if batch * tokens * dim:
        f = base ** (-torch.arange(count, device=k.device, dtype=torch.float64) / max(count, 1))
        if factor != 1:
            turns = original_max_position * f / (2 * math.pi)
            smooth = ((turns - low_freq_factor) / (high_freq_factor - low_freq_factor)).clip(0, 1)
            f = f * (smooth + (1 - smooth) / factor)
        rest = dim - rotary_dim
        cache_write_kernel[(batch * tokens,)](
            q,
            k.contiguous(),
            v.contiguous(),
            q_out,
            cache_k,
            cache_v,
            lengths,
            lengths if block_table is None else block_table.contiguous(),
            f / (2 * math.pi),
            tokens,
            q.shape[2],
            kv_heads,
            dim,
            count,
            cache_k.shape[1],
            1 if block_table is None else block_table.shape[1],
            TABLE=block_table is not None,
            NEIGHBOURS=pairs == "neighbours",
            HEADS=HEADS,
            PAIRS=triton.next_power_of_2(max(count, 1)),
            REST=triton.next_power_of_2(rest) if rest else 0,
            DIM=1024,
        )
    return q_out
