"""Attention of new tokens to a cache in Triton: one program per sequence, key head and part of the keys, then a second kernel
that joins the parts.

Against 06_balanced.cu: the packed queries and the split over the keys are the same, and tl.dot is the mma. Copies ahead are the
compiler's (num_stages), where the CUDA rung has its own ring. The parts are equal pieces of a full cache, so programs of
short sequences end early; equal shares of all tiles would need a loop over sequences, through which Triton does not
pipeline. A program cannot know that it is the last, hence the second launch.
"""

import math

import torch
import triton
import triton.language as tl
from triton import knobs

LOG2_E = 1.4426950408889634
KEYS = 64  # per step
LEAST = 256  # keys of a part


@triton.jit
def decode_kernel(
    q, k, v, lengths, table, sums, stats, q_batch, q_token, q_head, k_page, k_slot, k_head, v_page,
    v_slot, v_head, tokens, kv_heads, group, dim, page_size, max_pages, window, factor, cap,
    TABLE: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr, WIDEN: tl.constexpr, ROWS: tl.constexpr,
    DIM: tl.constexpr, KEYS: tl.constexpr
):  # fmt: skip
    unit, part, parts = tl.program_id(0), tl.program_id(1), tl.num_programs(1)
    row_block = tl.program_id(2)
    sequence, kv = (unit // kv_heads).to(tl.int64), unit % kv_heads
    length = tl.load(lengths + sequence)
    row = row_block * ROWS + tl.arange(0, ROWS)
    token, head = row // group, kv * group + row % group
    is_row = row < tokens * group
    d = tl.arange(0, DIM)
    last = tl.where(is_row, length - tokens + token + 1, 0)  # (ROWS,)
    first = tl.maximum(last - window, 0) if WINDOW else last * 0
    at = sequence * q_batch + token * q_token + head * q_head
    queries = tl.load(
        q + at[:, None] + d[None, :], mask=is_row[:, None] & (d < dim)[None, :], other=0
    )

    if WIDEN:
        queries = queries.to(tl.float32)
    begin = tl.maximum(length - tokens + 1 - window, 0) if WINDOW else 0
    each = tl.cdiv(tl.cdiv(length - begin, KEYS), parts) * KEYS
    begin = begin + part * each
    end = tl.minimum(length, begin + each)
    most = tl.full((ROWS,), float("-inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    output = tl.zeros((ROWS, DIM), tl.float32)
    for start in range(begin, end, KEYS):
        j = start + tl.arange(0, KEYS)
        there = j < end
        page, slot = sequence, j
        if TABLE:
            page = tl.load(table + sequence * max_pages + j // page_size, mask=there, other=0)
            page, slot = page.to(tl.int64), j % page_size
        inside = there[:, None] & (d < dim)[None, :]  # (KEYS, DIM)
        k_at = (page * k_page + slot * k_slot + kv * k_head)[:, None] + d[None, :]
        v_at = (page * v_page + slot * v_slot + kv * v_head)[:, None] + d[None, :]
        keys = tl.load(k + k_at, mask=inside, other=0)
        values = tl.load(v + v_at, mask=inside, other=0)
        if WIDEN:  # the interpreter would multiply the bits of bf16
            keys, values = keys.to(tl.float32), values.to(tl.float32)
        s = tl.dot(queries, tl.trans(keys), input_precision="ieee") * factor  # (ROWS, KEYS)
        if CAP:
            s = cap * (1 - 2 / (tl.exp(2 * s) + 1))  # tanh
        seen = (j[None, :] >= first[:, None]) & (j[None, :] < last[:, None]) & there[None, :]
        s = tl.where(seen, s, float("-inf"))
        new = tl.maximum(most, tl.max(s, 1))
        base = tl.where(new == float("-inf"), 0.0, new)  # -inf - -inf would be NaN
        p = tl.exp2(s - base[:, None])
        before = tl.exp2(most - base)
        total = total * before + tl.sum(p, 1)
        output = output * before[:, None]
        output += tl.dot(p.to(values.dtype), values, input_precision="ieee")
        most = new

    to = ((unit * parts + part).to(tl.int64) * tl.num_programs(2) + row_block) * ROWS
    to = to + tl.arange(0, ROWS)
    tl.store(sums + to[:, None] * DIM + d[None, :], output)
    tl.store(stats + 2 * to, most)
    tl.store(stats + 2 * to + 1, total)


@triton.jit
def join_kernel(
    sums, stats, o, lse, tokens, heads, kv_heads, group, dim, parts, row_blocks, ROWS: tl.constexpr,
    DIM: tl.constexpr, PARTS: tl.constexpr
):  # fmt: skip
    unit, row = tl.program_id(0), tl.program_id(1)
    part, d = tl.arange(0, PARTS), tl.arange(0, DIM)
    is_part = part < parts
    block = (unit * parts + part).to(tl.int64) * row_blocks + row // ROWS
    at = block * ROWS + row % ROWS  # (PARTS,)
    most = tl.load(stats + 2 * at, mask=is_part, other=float("-inf"))
    total = tl.load(stats + 2 * at + 1, mask=is_part, other=0)
    top = tl.max(most, 0)
    weight = tl.exp2(most - tl.where(top == float("-inf"), 0.0, top))
    whole = tl.sum(weight * total, 0)
    some = tl.load(sums + at[:, None] * DIM + d[None, :], mask=is_part[:, None], other=0)
    output = tl.sum(weight[:, None] * some, 0) / tl.where(whole == 0, 1.0, whole)
    sequence, head = (unit // kv_heads).to(tl.int64), unit % kv_heads * group + row % group
    token = row // group
    to = ((sequence * tokens + token) * heads + head) * dim
    tl.store(o + to + d, output.to(o.dtype.element_ty), mask=d < dim)
    value = tl.where(whole == 0, float("-inf"), (top + tl.log2(whole)) / 1.4426950408889634)
    tl.store(lse + (sequence * heads + head) * tokens + token, value)


def attention_decode(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    lengths: torch.Tensor,
    block_table: torch.Tensor | None = None,
    scale: float = 0.0,
    softcap: float = 0.0,
    window: int = 0,
) -> tuple[torch.Tensor, torch.Tensor]:
    q, k, v = (t if t.stride(-1) == 1 else t.contiguous() for t in (q, k, v))
    batch, tokens, heads, dim = q.shape
    page_size, kv_heads = k.shape[1:3]
    o = torch.empty(q.shape, dtype=q.dtype, device=q.device)
    lse = torch.empty(batch, heads, tokens, dtype=torch.float32, device=q.device)
    if o.numel() == 0:
        return o, lse
    max_pages = 1 if block_table is None else block_table.shape[1]
    group = heads // kv_heads
    rows = group * tokens
    most_keys = page_size * max_pages
    if window:
        most_keys = min(most_keys, window + tokens - 1)
    padded = min(max(triton.next_power_of_2(rows), 16), 64)
    row_blocks = triton.cdiv(rows, padded)
    units = batch * kv_heads
    cores = 132
    if q.is_cuda:
        cores = torch.cuda.get_device_properties(q.device).multi_processor_count
    parts = max(min(2 * cores // (units * row_blocks), triton.cdiv(most_keys, LEAST)), 1)
    wide = max(triton.next_power_of_2(dim), 16)
    floats = {"dtype": torch.float32, "device": q.device}
    sums = torch.empty(units, parts, row_blocks, padded, wide, **floats)
    stats = torch.empty(units, parts, row_blocks, padded, 2, **floats)
    scale = scale or 1 / math.sqrt(dim)
    decode_kernel[(units, parts, row_blocks)](
        q,
        k,
        v,
        lengths,
        lengths if block_table is None else block_table.contiguous(),
        sums,
        stats,
        *q.stride()[:3],
        *k.stride()[:3],
        *v.stride()[:3],
        tokens,
        kv_heads,
        group,
        dim,
        page_size,
        max_pages,
        window,
        scale / softcap if softcap else scale * LOG2_E,
        softcap * LOG2_E,
        TABLE=block_table is not None,
        WINDOW=window > 0,
        CAP=softcap != 0,
        WIDEN=knobs.runtime.interpret,
        ROWS=padded,
        DIM=wide,
        KEYS=KEYS,
        num_stages=3,
    )
    join_kernel[(units, rows)](
        sums,
        stats,
        o,
        lse,
        tokens,
        heads,
        kv_heads,
        group,
        dim,
        parts,
        row_blocks,
        ROWS=padded,
        DIM=wide,
        PARTS=triton.next_power_of_2(parts),
    )
    return o, lse
