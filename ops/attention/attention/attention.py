"""Attention and its gradient in Triton: flash attention 2, shapes found by trying.

Against 06_mma.cu and backward_03_two_passes.cu, rung by rung: README.md, "The Triton twin". What is spelled out here is the
algorithm: which tiles of keys a tile of queries visits, which of them need a mask, the running maximum, what the backward
pass computes again. Where tiles lie, when they are copied and in which registers is the compiler's.
"""

import functools
import math

import torch
import triton
import triton.language as tl
from triton import knobs

LOG2_E = 1.4426950408889634
INTERPRETED = knobs.runtime.interpret
# Floats as sums of three products of the tensor cores; "ieee" unrolls a head of 256 into minutes of compile time.
F32 = tl.constexpr("tf32x3")


# --- which tiles ----------------------------------------------------------------------------------


@triton.jit
def keys_of(begin, end, shift, keys, window, CAUSAL: tl.constexpr, WINDOW: tl.constexpr):
    """[first, last): the keys that any of the queries [begin, end) sees, as in visible.h."""
    first, last = keys * 0, keys
    if CAUSAL:
        last = tl.minimum(last, end + shift)
    if WINDOW:
        first = tl.maximum(first, begin + shift - window + 1)
        if not CAUSAL:
            last = tl.minimum(last, end - 1 + shift + window)
    return first, tl.maximum(last, first)


@triton.jit
def queries_of(begin, end, shift, queries, window, CAUSAL: tl.constexpr, WINDOW: tl.constexpr):
    """The queries that see any of the keys [begin, end)."""
    first, last = queries * 0, queries
    if CAUSAL:
        first = tl.maximum(first, begin - shift)
    if WINDOW:
        last = tl.minimum(last, end - 1 - shift + window)
        if not CAUSAL:
            first = tl.maximum(first, begin - shift - window + 1)
    return first, tl.maximum(last, first)


@triton.jit
def steps(first, last, all_first, all_last, STEP: tl.constexpr):
    """Tiles of STEP that cover [first, last): begin, end, and between them where tiles lie in [all_first, all_last),
    which need no mask."""
    begin = first // STEP * STEP
    end = tl.where(last > first, tl.cdiv(last, STEP) * STEP, begin)
    whole = tl.minimum(tl.maximum(tl.cdiv(all_first, STEP) * STEP, begin), end)
    whole_end = tl.minimum(tl.maximum(tl.maximum(all_last, 0) // STEP * STEP, whole), end)
    return begin, whole, whole_end, end


@triton.jit
def sequence_of(tiles, rows, other_rows, VARLEN: tl.constexpr, SIDE: tl.constexpr):
    """Where this program's tile begins in its sequence; the sequence's first row and rows, and those of the other side.
    Without offsets a batch is a sequence."""
    tile = tl.num_programs(0) - 1 - tl.program_id(0)  # causal: the last ones have the most keys
    zero = tile * 0
    if VARLEN:
        at = tiles + 5 * tile
        start, first, rows = tl.load(at), tl.load(at + 1), tl.load(at + 2)
        other, other_rows = tl.load(at + 3), tl.load(at + 4)
    else:
        start, first, other = tile * SIDE, zero, zero
    return start, first, zero + rows, other, zero + other_rows


def _tiles(offsets, others, rows, side):
    """What sequence_of wants, for each tile, made on the device: nothing waits for the lengths. Sequence s begins at tile
    s + first // side, which leaves room for its last, partial tile; the rows before and behind all are two more."""
    ends = torch.nn.functional.pad(offsets, (1, 1))
    ends[-1] = rows
    count = len(offsets) + 1
    tile = torch.arange(rows // side + count, device=offsets.device)
    begin = torch.arange(count, device=offsets.device) + ends[:-1] // side
    s = torch.searchsorted(begin, tile, right=True) - 1
    first, last = ends[s], ends[s + 1]
    other = others[(s - 1).clamp(min=0)]
    lacks = (s == 0) | (s == count - 1)
    other_rows = torch.where(lacks, 0, others[s.clamp(max=len(others) - 1)] - other)
    table = ((tile - s - first // side) * side, first, last - first, other, other_rows)
    return torch.stack(table, 1).int()


# --- one tile of scores ---------------------------------------------------------------------------


@triton.jit
def logits(dots, factor, cap, CAP: tl.constexpr):
    """In units of log2(e), so that exp2 is all that is left."""
    if CAP:
        s = cap * (1 - 2 / (tl.exp(2 * dots * factor) + 1))  # tanh
    else:
        s = dots * factor
    return s


@triton.jit
def through_cap(ds, s, cap, CAP: tl.constexpr):
    """The gradient before the soft cap, from the one behind it."""
    if CAP:
        ds *= 1 - (s / cap) * (s / cap)
    return ds


@triton.jit
def visible(i, j, shift, keys, window, CAUSAL: tl.constexpr, WINDOW: tl.constexpr):
    seen = (j < keys) & (i >= 0)
    if CAUSAL:
        seen &= j <= i + shift
    if WINDOW:
        seen &= (j > i + shift - window) & (j < i + shift + window)
    return seen


@triton.jit
def kept(rows, start, seed, offset, threshold, scale, N: tl.constexpr):
    """What dropout makes of the probabilities of `rows` and N keys: 0 or 1 / (1 - dropout). Four keys share a call."""
    group = (start // 4 + tl.arange(0, N // 4)).to(tl.uint32)[None, :]
    zero = (rows[:, None] * 0).to(tl.uint32) + group * 0  # (rows, N / 4)
    offset = offset.to(tl.int64)
    offset_low = (offset & 0xFFFFFFFF).to(tl.uint32)
    offset_high = ((offset >> 32) & 0xFFFFFFFF).to(tl.uint32)
    row = rows[:, None].to(tl.uint32)
    w0, w1, w2, w3 = tl.philox(
        seed, zero + group, zero + row, zero + offset_low, zero + offset_high
    )
    words = tl.join(tl.join(w0, w2), tl.join(w1, w3)).reshape(rows.shape[0], N)
    return tl.where(words.to(tl.int64) >= threshold, scale, 0.0)


@triton.jit
def tile_of(base, rows, token, d, limit, dim, MASK: tl.constexpr, WIDEN: tl.constexpr):
    """(rows, d); zeros behind the ends."""
    inside = (d < dim)[None, :]
    if MASK:
        inside &= (rows < limit)[:, None]
    tile = tl.load(base + rows[:, None].to(tl.int64) * token + d[None, :], mask=inside, other=0)
    return tile.to(tl.float32) if WIDEN else tile  # the interpreter would multiply the bits of bf16


# --- forward --------------------------------------------------------------------------------------


@triton.jit
def attend(
    sums, most, total, q, k, v, k_token, v_token, i, rows, begin, end, shift, keys, dim, value_dim,
    window, factor, cap, seed, offset, threshold, kept_scale, MASK: tl.constexpr,
    CAUSAL: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr, DROPOUT: tl.constexpr,
    WIDEN: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr, VALUE_DIM: tl.constexpr
):  # fmt: skip
    """Adds the keys [begin, end) to the sums of a tile of queries."""
    d, c = tl.arange(0, DIM), tl.arange(0, VALUE_DIM)
    for start in range(begin, end, N):
        j = start + tl.arange(0, N)
        keys_tile = tile_of(k, j, k_token, d, keys, dim, MASK, WIDEN)  # (N, DIM)
        dots = tl.dot(q, tl.trans(keys_tile), input_precision=F32)  # (M, N)
        s = logits(dots, factor, cap, CAP)
        if MASK:
            seen = visible(i[:, None], j[None, :], shift, keys, window, CAUSAL, WINDOW)
            s = tl.where(seen, s, float("-inf"))
        new = tl.maximum(most, tl.max(s, 1))
        base = tl.where(new == float("-inf"), 0.0, new)  # -inf - -inf would be NaN
        p = tl.exp2(s - base[:, None])
        shrink = tl.exp2(most - base)
        total = total * shrink + tl.sum(p, 1)
        if DROPOUT:
            p *= kept(rows, start, seed, offset, threshold, kept_scale, N)
        values = tile_of(v, j, v_token, c, keys, value_dim, MASK, WIDEN)  # (N, VALUE_DIM)
        sums = tl.dot(p.to(values.dtype), values, sums * shrink[:, None], input_precision=F32)
        most = new
    return sums, most, total


def _shapes(*shapes):
    """Keys (or queries) per step, warps, stages."""
    return [triton.Config({"N": n}, num_warps=w, num_stages=s) for n, w, s in shapes]


def _worth_trying(shapes, named, **more):
    """Short sequences and f32 take the last shape: trying costs more than it wins."""
    return shapes[-1:] if named["size"] < 1024 or named["q"].dtype == torch.float32 else shapes


def _tuned(shapes):
    """The interpreter takes large tiles: fewer steps."""
    return triton.autotune(
        _shapes((128, 4, 1)) if INTERPRETED else shapes,
        key=["size", "DIM", "CAUSAL", "CAP"],
        prune_configs_by={"early_config_prune": _worth_trying},
    )


FORWARD = _shapes((128, 8, 2), (128, 8, 3), (64, 8, 3), (64, 4, 3), (32, 4, 4), (32, 4, 2))
BACKWARD = _shapes((64, 8, 2), (64, 4, 2), (32, 8, 2), (32, 4, 2))
# One kernel for all lengths and numbers of heads.
ANY = ["all_queries", "all_keys", "heads", "group", "window", "seed", "offset", "threshold", "size"]


@_tuned(FORWARD)
@triton.jit(do_not_specialize=ANY)
def attention_kernel(
    q, k, v, o, lse, tiles, q_batch, q_token, q_head, k_batch, k_token, k_head,
    v_batch, v_token, v_head, all_queries, all_keys, heads, group, dim, value_dim, window, factor,
    cap, seed, offset, threshold, kept_scale, size, VARLEN: tl.constexpr, CAUSAL: tl.constexpr,
    WINDOW: tl.constexpr, CAP: tl.constexpr, DROPOUT: tl.constexpr, WIDEN: tl.constexpr,
    M: tl.constexpr, DIM: tl.constexpr, VALUE_DIM: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    """M queries of one head."""
    head, batch = tl.program_id(1), tl.program_id(2).to(tl.int64)
    start, first_query, queries, first_key, keys = sequence_of(
        tiles, all_queries, all_keys, VARLEN, M
    )
    if start >= queries:
        return
    i, d, c = start + tl.arange(0, M), tl.arange(0, DIM), tl.arange(0, VALUE_DIM)
    rows = (batch * heads + head) * all_queries + first_query + i  # of lse
    q += batch * q_batch + head * q_head + first_query.to(tl.int64) * q_token
    k += batch * k_batch + head // group * k_head + first_key.to(tl.int64) * k_token
    v += batch * v_batch + head // group * v_head + first_key.to(tl.int64) * v_token
    queries_tile = tile_of(q, i, q_token, d, queries, dim, True, WIDEN)  # (M, DIM)

    shift, end = keys - queries, tl.minimum(start + M, queries)
    first, last = keys_of(start, end, shift, keys, window, CAUSAL, WINDOW)
    _, all_last = keys_of(start, start + 1, shift, keys, window, CAUSAL, WINDOW)
    all_first, _ = keys_of(end - 1, end, shift, keys, window, CAUSAL, WINDOW)
    bounds = steps(first, last, all_first, all_last, N)
    sums = tl.zeros((M, VALUE_DIM), tl.float32)
    most = tl.full((M,), float("-inf"), tl.float32)
    total = tl.zeros((M,), tl.float32)
    for part in tl.static_range(3):
        if WINDOW or part > 0:
            sums, most, total = attend(
                sums, most, total, queries_tile, k, v, k_token, v_token, i, rows, bounds[part],
                bounds[part + 1], shift, keys, dim, value_dim, window, factor, cap, seed, offset,
                threshold, kept_scale, part != 1, CAUSAL, WINDOW, CAP, DROPOUT, WIDEN, N, DIM,
                VALUE_DIM
            )  # fmt: skip

    result = sums / tl.where(total == 0, 1.0, total)[:, None]
    at = ((batch * all_queries + first_query + i) * heads + head) * value_dim
    inside = (i < queries)[:, None] & (c < value_dim)[None, :]
    tl.store(o + at[:, None] + c[None, :], result.to(o.dtype.element_ty), mask=inside)
    value = tl.where(
        total == 0,
        float("-inf"),
        (most + tl.log2(tl.where(total == 0, 1.0, total))) * 0.6931471805599453,
    )
    tl.store(lse + rows, value, mask=i < queries)


# --- backward -------------------------------------------------------------------------------------


@triton.jit
def delta_kernel(d_o, o, delta, queries, heads, value_dim, d_o_batch, d_o_token, d_o_head, ROWS: tl.constexpr, VALUE_DIM: tl.constexpr):  # fmt: skip
    """do . o of some queries of one head."""
    i, head, batch = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.program_id(1), tl.program_id(2).to(tl.int64)  # fmt: skip
    c = tl.arange(0, VALUE_DIM)
    inside = (i < queries)[:, None] & (c < value_dim)[None, :]
    at = ((batch * queries + i) * heads + head) * value_dim
    slope_at = batch * d_o_batch + i.to(tl.int64) * d_o_token + head * d_o_head
    out = tl.load(o + at[:, None] + c[None, :], mask=inside, other=0).to(tl.float32)
    slope = tl.load(d_o + slope_at[:, None] + c[None, :], mask=inside, other=0).to(tl.float32)
    tl.store(delta + (batch * heads + head) * queries + i, tl.sum(out * slope, 1), mask=i < queries)


@triton.jit
def row_stats(lse, delta, rows, i, queries):
    """A row without keys, or none at all, has lse +inf here: its probabilities are exp2(-inf)."""
    value = tl.load(lse + rows, mask=i < queries, other=float("inf")) * 1.4426950408889634
    value = tl.where(value == float("-inf"), float("inf"), value)
    return value, tl.load(delta + rows, mask=i < queries, other=0)


@triton.jit
def add_to_keys(
    dk, dv, keys_tile, values, q, d_o, lse, delta, q_token, d_o_token, j, j0, rows0, begin, end,
    shift, queries, keys, dim, value_dim, window, factor, cap, seed, offset, threshold, kept_scale,
    MASK: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
    DROPOUT: tl.constexpr, WIDEN: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
    DIM: tl.constexpr, VALUE_DIM: tl.constexpr
):  # fmt: skip
    """Adds what the queries [begin, end) give to dk and dv of a tile of keys. Scores are transposed, (keys, queries), so
    that p and ds are left operands as they are."""
    d, c = tl.arange(0, DIM), tl.arange(0, VALUE_DIM)
    for start in range(begin, end, N):
        i = start + tl.arange(0, N)
        queries_tile = tile_of(q, i, q_token, d, queries, dim, True, WIDEN)  # (N, DIM)
        slope = tile_of(d_o, i, d_o_token, c, queries, value_dim, True, WIDEN)  # (N, VALUE_DIM)
        sum_log, sum_slope = row_stats(lse, delta, rows0 + i, i, queries)
        dots = tl.dot(keys_tile, tl.trans(queries_tile), input_precision=F32)  # (M, N)
        s = logits(dots, factor, cap, CAP)
        p = tl.exp2(s - sum_log[None, :])
        if MASK:
            seen = visible(i[None, :], j[:, None], shift, keys, window, CAUSAL, WINDOW)
            p = tl.where(seen, p, 0.0)
        dp = tl.dot(values, tl.trans(slope), input_precision=F32)  # (M, N)
        left = p
        if DROPOUT:
            keep = tl.trans(kept(rows0 + i, j0, seed, offset, threshold, kept_scale, M))
            left, dp = p * keep, dp * keep
        dv = tl.dot(left.to(slope.dtype), slope, dv, input_precision=F32)
        ds = through_cap(p * (dp - sum_slope[None, :]), s, cap, CAP)
        dk = tl.dot(ds.to(queries_tile.dtype), queries_tile, dk, input_precision=F32)
    return dk, dv


@_tuned(BACKWARD)
@triton.jit(do_not_specialize=ANY)
def keys_kernel(
    d_o, q, k, v, lse, delta, dk, dv, tiles, d_o_batch, d_o_token, d_o_head, q_batch, q_token, q_head,
    k_batch, k_token, k_head, v_batch, v_token, v_head, all_queries, all_keys, heads, group, dim,
    value_dim, window, scale, factor, cap, seed, offset, threshold, kept_scale, size,
    VARLEN: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
    DROPOUT: tl.constexpr, WIDEN: tl.constexpr, M: tl.constexpr, DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    """dk and dv of M keys of one key head: all heads of its group, all queries that see them."""
    kv_head, batch = tl.program_id(1), tl.program_id(2).to(tl.int64)
    j0, first_key, keys, first_query, queries = sequence_of(tiles, all_keys, all_queries, VARLEN, M)
    if j0 >= keys:
        return
    j, d, c = j0 + tl.arange(0, M), tl.arange(0, DIM), tl.arange(0, VALUE_DIM)
    k += batch * k_batch + kv_head * k_head + first_key.to(tl.int64) * k_token
    v += batch * v_batch + kv_head * v_head + first_key.to(tl.int64) * v_token
    keys_tile = tile_of(k, j, k_token, d, keys, dim, True, WIDEN)  # (M, DIM)
    values = tile_of(v, j, v_token, c, keys, value_dim, True, WIDEN)  # (M, VALUE_DIM)
    shift, j1 = keys - queries, tl.minimum(j0 + M, keys)
    first, last = queries_of(j0, j1, shift, queries, window, CAUSAL, WINDOW)
    all_first, _ = queries_of(j1 - 1, j1, shift, queries, window, CAUSAL, WINDOW)
    _, all_last = queries_of(j0, j0 + 1, shift, queries, window, CAUSAL, WINDOW)
    bounds = steps(first, last, all_first, all_last, N)
    sums_k = tl.zeros((M, DIM), tl.float32)
    sums_v = tl.zeros((M, VALUE_DIM), tl.float32)
    for head in range(kv_head * group, kv_head * group + group):
        of_q = q + batch * q_batch + head * q_head + first_query.to(tl.int64) * q_token
        of_d_o = d_o + batch * d_o_batch + head * d_o_head + first_query.to(tl.int64) * d_o_token
        rows0 = (batch * heads + head) * all_queries + first_query
        for part in tl.static_range(3):
            if WINDOW or part < 2:  # rows behind the last are no edge: their lse is +inf
                sums_k, sums_v = add_to_keys(
                    sums_k, sums_v, keys_tile, values, of_q, of_d_o, lse, delta, q_token, d_o_token, j,
                    j0, rows0, bounds[part], bounds[part + 1] if WINDOW or part == 0 else bounds[3],
                    shift, queries, keys, dim, value_dim, window, factor, cap, seed, offset, threshold,
                    kept_scale, part != 1, CAUSAL, WINDOW, CAP, DROPOUT, WIDEN, M, N, DIM, VALUE_DIM
                )  # fmt: skip
    at = (batch * all_keys + first_key + j) * (heads // group) + kv_head
    dk += (at * dim)[:, None] + d[None, :]
    dv += (at * value_dim)[:, None] + c[None, :]
    there = (j < keys)[:, None]
    tl.store(dk, (sums_k * scale).to(dk.dtype.element_ty), mask=there & (d < dim)[None, :])
    tl.store(dv, sums_v.to(dv.dtype.element_ty), mask=there & (c < value_dim)[None, :])


@triton.jit
def add_to_queries(
    dq, queries_tile, slope, k, v, sum_log, sum_slope, k_token, v_token, i, rows, begin, end, shift,
    keys, dim, value_dim, window, factor, cap, seed, offset, threshold, kept_scale,
    MASK: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
    DROPOUT: tl.constexpr, WIDEN: tl.constexpr, N: tl.constexpr, DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr
):  # fmt: skip
    """Adds what the keys [begin, end) give to dq of a tile of queries."""
    d, c = tl.arange(0, DIM), tl.arange(0, VALUE_DIM)
    for start in range(begin, end, N):
        j = start + tl.arange(0, N)
        keys_tile = tile_of(k, j, k_token, d, keys, dim, MASK, WIDEN)  # (N, DIM)
        values = tile_of(v, j, v_token, c, keys, value_dim, MASK, WIDEN)  # (N, VALUE_DIM)
        dots = tl.dot(queries_tile, tl.trans(keys_tile), input_precision=F32)  # (M, N)
        s = logits(dots, factor, cap, CAP)
        p = tl.exp2(s - sum_log[:, None])
        if MASK:
            seen = visible(i[:, None], j[None, :], shift, keys, window, CAUSAL, WINDOW)
            p = tl.where(seen, p, 0.0)
        dp = tl.dot(slope, tl.trans(values), input_precision=F32)  # (M, N)
        if DROPOUT:
            dp *= kept(rows, start, seed, offset, threshold, kept_scale, N)
        ds = through_cap(p * (dp - sum_slope[:, None]), s, cap, CAP)
        dq = tl.dot(ds.to(keys_tile.dtype), keys_tile, dq, input_precision=F32)
    return dq


@_tuned(BACKWARD)
@triton.jit(do_not_specialize=ANY)
def queries_kernel(
    d_o, q, k, v, lse, delta, dq, tiles, d_o_batch, d_o_token, d_o_head, q_batch, q_token, q_head,
    k_batch, k_token, k_head, v_batch, v_token, v_head, all_queries, all_keys, heads, group, dim,
    value_dim, window, scale, factor, cap, seed, offset, threshold, kept_scale, size,
    VARLEN: tl.constexpr, CAUSAL: tl.constexpr, WINDOW: tl.constexpr, CAP: tl.constexpr,
    DROPOUT: tl.constexpr, WIDEN: tl.constexpr, M: tl.constexpr, DIM: tl.constexpr,
    VALUE_DIM: tl.constexpr, N: tl.constexpr
):  # fmt: skip
    """dq of M queries of one head: the tiles of the forward pass again."""
    head, batch = tl.program_id(1), tl.program_id(2).to(tl.int64)
    start, first_query, queries, first_key, keys = sequence_of(
        tiles, all_queries, all_keys, VARLEN, M
    )
    if start >= queries:
        return
    i, d, c = start + tl.arange(0, M), tl.arange(0, DIM), tl.arange(0, VALUE_DIM)
    rows = (batch * heads + head) * all_queries + first_query + i
    q += batch * q_batch + head * q_head + first_query.to(tl.int64) * q_token
    d_o += batch * d_o_batch + head * d_o_head + first_query.to(tl.int64) * d_o_token
    k += batch * k_batch + head // group * k_head + first_key.to(tl.int64) * k_token
    v += batch * v_batch + head // group * v_head + first_key.to(tl.int64) * v_token
    queries_tile = tile_of(q, i, q_token, d, queries, dim, True, WIDEN)  # (M, DIM)
    slope = tile_of(d_o, i, d_o_token, c, queries, value_dim, True, WIDEN)  # (M, VALUE_DIM)
    sum_log, sum_slope = row_stats(lse, delta, rows, i, queries)
    shift, end = keys - queries, tl.minimum(start + M, queries)
    first, last = keys_of(start, end, shift, keys, window, CAUSAL, WINDOW)
    _, all_last = keys_of(start, start + 1, shift, keys, window, CAUSAL, WINDOW)
    all_first, _ = keys_of(end - 1, end, shift, keys, window, CAUSAL, WINDOW)
    bounds = steps(first, last, all_first, all_last, N)
    sums = tl.zeros((M, DIM), tl.float32)
    for part in tl.static_range(3):
        if WINDOW or part > 0:
            sums = add_to_queries(
                sums, queries_tile, slope, k, v, sum_log, sum_slope, k_token, v_token, i, rows,
                bounds[part], bounds[part + 1], shift, keys, dim, value_dim, window, factor, cap, seed,
                offset, threshold, kept_scale, part != 1, CAUSAL, WINDOW, CAP, DROPOUT, WIDEN, N, DIM,
                VALUE_DIM
            )  # fmt: skip
    at = ((batch * all_queries + first_query + i) * heads + head) * dim
    inside = (i < queries)[:, None] & (d < dim)[None, :]
    result = (sums * scale).to(dq.dtype.element_ty)
    tl.store(dq + at[:, None] + d[None, :], result, mask=inside)


# --- calls ----------------------------------------------------------------------------------------


def _rows(*tensors):
    return [t if t.stride(-1) == 1 or t.shape[-1] == 1 else t.contiguous() for t in tensors]


class _Call:
    """What the kernels of both passes are given."""

    def __init__(self, q, k, v, scale, causal, window, softcap, dropout, seed, offset):
        self.batch, self.queries, self.heads, self.dim = q.shape
        self.keys, self.kv_heads, self.value_dim = k.shape[1], k.shape[2], v.shape[3]
        self.scale = scale or 1 / math.sqrt(self.dim)
        wide, value_wide = (max(triton.next_power_of_2(n), 16) for n in (self.dim, self.value_dim))
        # Rows of a program: sums of 64 rows of 256 fill the registers as 128 of 128 do.
        small = max(wide, value_wide) > 128 or max(self.queries, self.keys) < 1024
        self.side = 32 if q.dtype == torch.float32 else 64 if small else 128
        if INTERPRETED:
            self.side = 128
        sizes = (self.queries, self.keys, self.heads, self.heads // max(self.kv_heads, 1))
        self.sizes = (*sizes, self.dim, self.value_dim, min(window, 1 << 30))
        self.score = (
            self.scale / softcap if softcap else self.scale * LOG2_E,
            softcap * LOG2_E,
            seed,
            offset,
            int(dropout * 2**32),
            1 / (1 - dropout) if dropout < 1 else 0.0,
            triton.next_power_of_2(max(self.keys, 1)),  # autotune's key
        )
        self.named = {
            "CAUSAL": causal,
            "WINDOW": window > 0,
            "CAP": softcap != 0,
            "DROPOUT": dropout > 0,
            "WIDEN": INTERPRETED,
            "M": self.side,
            "DIM": wide,
            "VALUE_DIM": value_wide,
        }

    def launch(self, kernel, tensors, strided, offsets, rows, heads, more=()):
        """`offsets`: of the rows that a program has, and of the others."""
        own, others = offsets
        tiles = tensors[0] if own is None else _tiles(own, others, rows, self.side)
        count = triton.cdiv(rows, self.side) if own is None else len(tiles)
        strides = (s for t in strided for s in t.stride()[:3])
        kernel[(count, heads, self.batch)](
            *(*tensors, tiles, *strides, *self.sizes, *more, *self.score),
            VARLEN=own is not None,
            **self.named,
        )


def attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    q_offsets: torch.Tensor | None = None,
    k_offsets: torch.Tensor | None = None,
    scale: float = 0.0,
    causal: bool = False,
    window: int = 0,
    softcap: float = 0.0,
    dropout: float = 0.0,
    seed: int = 0,
    offset: int = 0,
) -> tuple[torch.Tensor, torch.Tensor]:
    q, k, v = _rows(q, k, v)
    call = _Call(q, k, v, scale, causal, window, softcap, dropout, seed, offset)
    o = q.new_empty(call.batch, call.queries, call.heads, call.value_dim)
    lse = q.new_empty(call.batch, call.heads, call.queries, dtype=torch.float32)
    if o.numel():
        offsets = (q_offsets, k_offsets)
        tensors = (q, k, v, o, lse)
        call.launch(attention_kernel, tensors, (q, k, v), offsets, call.queries, call.heads)
    return o, lse


def attention_backward(
    d_o: torch.Tensor,
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    o: torch.Tensor,
    lse: torch.Tensor,
    q_offsets: torch.Tensor | None = None,
    k_offsets: torch.Tensor | None = None,
    scale: float = 0.0,
    causal: bool = False,
    window: int = 0,
    softcap: float = 0.0,
    dropout: float = 0.0,
    seed: int = 0,
    offset: int = 0,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    d_o, q, k, v = _rows(d_o, q, k, v)
    o, lse = o.contiguous(), lse.contiguous()
    call = _Call(q, k, v, scale, causal, window, softcap, dropout, seed, offset)
    dq, dk, dv = (torch.empty_like(t, memory_format=torch.contiguous_format) for t in (q, k, v))
    delta = torch.empty_like(lse)
    if delta.numel():
        delta_kernel[(triton.cdiv(call.queries, 64), call.heads, call.batch)](
            *(d_o, o, delta, call.queries, call.heads, call.value_dim, *d_o.stride()[:3]),
            ROWS=64,
            VALUE_DIM=call.named["VALUE_DIM"],
        )
    tensors, strided = (d_o, q, k, v, lse, delta), (d_o, q, k, v)
    launch = functools.partial(call.launch, strided=strided, more=(call.scale,))
    if dk.numel() + dv.numel():
        offsets, heads = (k_offsets, q_offsets), call.kv_heads
        launch(keys_kernel, (*tensors, dk, dv), offsets=offsets, rows=call.keys, heads=heads)
    if dq.numel():
        offsets, heads = (q_offsets, k_offsets), call.heads
        launch(queries_kernel, (*tensors, dq), offsets=offsets, rows=call.queries, heads=heads)
    return dq, dk, dv
