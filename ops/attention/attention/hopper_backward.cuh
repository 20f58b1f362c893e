// The backward pass on Hopper: 128 keys per block, two warp groups of 64 keys, tile after tile of queries.
// Heads of more than 128: 64 keys per block, and each group has half of the columns of dk, dv and dq.
//
// Everything is computed with the keys down: s^T = k q^T and dp^T = v do^T leave p^T and ds^T in registers just as
// the products dv += p^T do and dk += ds^T q want their left operand. Only dq = ds k needs ds in shared memory, where
// both groups put their half of it and from where both read all of it.
#pragma once
#include "ops/attention/attention/backward_dq.cuh"
#include "ops/attention/attention/hopper_tile.cuh"

namespace warpath::attention::hopper {

// A head of 64 has tiles of 128 queries, of which each group makes 64 rows of dq; one of 128 has tiles of 64, of whose
// dq each group makes 64 columns.
//
// With 64 keys per group, dk and dv of a head of 256 would be 256 registers of each thread. So both groups have the same 64
// keys and split the columns (`split`). Both need all p and ds and compute them twice: seven products instead of five,
// but no group waits for the other.
template <class T_, int Dim>
struct BackwardTile {
  using T = T_;
  static constexpr bool split = Dim > 128;
  static constexpr int dim = Dim, keys = split ? 64 : 128, groups = 2;
  static constexpr int queries = Dim == 64 ? 128 : 64;
  static constexpr int stages = 2, threads = 3 * ptx::warp_group;
  static constexpr int d_o_stages = split ? 1 : stages;   // what fits into shared memory
  static constexpr int columns = split ? Dim / 2 : Dim;   // of dk and dv in a group
  static constexpr int dq_parts = split ? Dim / 128 : 1;  // of 64 x 64, per group
  static constexpr int key_bytes = keys * Dim * 2, query_bytes = queries * Dim * 2;
  static constexpr int row_bytes = queries * int(sizeof(float2));
  static constexpr int panels = Dim / 64, query_panels = queries / 64;
  static constexpr int producer_registers = 24, consumer_registers = 240;
  // The products of dk run on while the next tile begins. With 128 queries, or two parts of dq, registers are short.
  static constexpr bool dk_overlaps = Dim == 128;
  static_assert(Dim == 64 || Dim == 128 || Dim == 256);
  using Scores = float[queries / 2];
  using Words = std::uint32_t[queries / 4];
  using Kept = unsigned[queries / 64];
  using Sums = float[columns / 2];

  // The first key of a group, in the tile.
  static constexpr __device__ int first_key(int group) { return split ? 0 : group * 64; }
};

template <class Tile>
struct BackwardStorage {
  alignas(1024) unsigned char k[Tile::key_bytes];
  alignas(1024) unsigned char v[Tile::key_bytes];
  alignas(1024) unsigned char q[Tile::stages][Tile::query_bytes];
  alignas(1024) unsigned char d_o[Tile::d_o_stages][Tile::query_bytes];
  alignas(1024) unsigned char ds[128 * Tile::queries * 2];
  float dq[8][32 * 32];  // of each warp: 8 x 16 x 8 sums
  float2 rows[Tile::stages][Tile::queries];
  ptx::Barrier keys_full, q_full[Tile::stages], q_empty[Tile::stages];
  ptx::Barrier d_o_full[Tile::d_o_stages], d_o_empty[Tile::d_o_stages];

  __device__ __forceinline__ void init() {
    ptx::init(keys_full, 1);
    for (int s = 0; s < Tile::stages; ++s) {
      ptx::init(q_full[s], 1);
      ptx::init(q_empty[s], warps_of(Tile::groups));
    }
    for (int s = 0; s < Tile::d_o_stages; ++s) {
      ptx::init(d_o_full[s], 1);
      ptx::init(d_o_empty[s], warps_of(Tile::groups));
    }
    ptx::fence_init();
  }
};

// Where the gradients of the nth tile lie; `state` is that of its queries.
template <class Tile>
__device__ __forceinline__ PipelineState<Tile::d_o_stages> d_o_state(
    const PipelineState<Tile::stages>& state, int n) {
  if constexpr (Tile::d_o_stages == Tile::stages)
    return state;
  else
    return {0, unsigned(n) & 1};
}

struct BackwardMaps {
  CUtensorMap q, k, v, d_o;
};

// What a block does: a tile of keys, and the tiles of queries that see it, of all heads that share the keys.
struct KeyWork {
  Sequence s;
  int kv_head, key;
  int first, tiles;  // tiles of queries per head
  int heads;         // in the group
  int row, strip;    // where the sequence begins in `rows` and in the sums of dq
};

// A sequence begins in `rows` at the tile of this many rows at which its first one would.
constexpr int padded_tile = 128;

template <class T>
__device__ __forceinline__ int first_padded(const BackwardProblem<T>& p, int sequence) {
  return p.sequences.q_offsets
             ? p.sequences.template first_tile<padded_tile>(sequence) * padded_tile
             : 0;
}

// lse in units of log2 and delta of every row, padded to whole tiles. Rows that do not exist or see no key have an lse of
// +inf, which makes their p zero.
template <class T, int Lanes>
__global__ void __launch_bounds__(256)
    prepare_rows(const __grid_constant__ BackwardProblem<T> problem, int padded, float2* rows,
                 std::int64_t count) {
  const std::int64_t row = (std::int64_t(blockIdx.x) * 256 + threadIdx.x) / Lanes;
  const int lane = threadIdx.x % Lanes;
  if (row >= count) return;
  const std::int64_t head = row / padded;
  const int b = int(head / problem.heads), h = int(head % problem.heads), at = int(row % padded);
  const int sequence = problem.sequences.q_offsets
                           ? problem.sequences.template of_tile<padded_tile>(at / padded_tile)
                           : b;
  const Sequence s = problem.sequences.at(sequence);
  const int i = at - first_padded(problem, sequence);
  const bool there = i < s.queries;
  float sum = 0;
  if (there && lane * 8 < problem.value_dim) {
    const Vector<T, 8> g = load<8>(problem.d_o.at(b, s.first_query + i, h) + lane * 8);
    const Vector<T, 8> o = load<8>(problem.o.at(b, s.first_query + i, h) + lane * 8);
#pragma unroll
    for (int e = 0; e < 8; ++e) sum += to_float(g.at[e]) * to_float(o.at[e]);
  }
#pragma unroll
  for (int step = Lanes / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane != 0) return;
  const float lse = there ? problem.lse[problem.row(s, h, i)] : -INFINITY;
  rows[row] = {lse == -INFINITY ? INFINITY : lse * softmax::log2_e, sum};
}

// The producer: one thread.
template <class Tile>
__device__ __forceinline__ void produce(BackwardStorage<Tile>& at, const BackwardMaps& maps,
                                        const KeyWork& w, const float2* rows, int heads,
                                        int padded) {
  ptx::arrive_expecting(at.keys_full, 2 * Tile::key_bytes);
#pragma unroll
  for (int p = 0; p < Tile::panels; ++p) {
    const ptx::HeadBox box{64 * p, w.s.first_key + w.key, w.kv_head, w.s.batch};
    ptx::load_box(at.k + p * Tile::keys * 128, maps.k, box, at.keys_full);
    ptx::load_box(at.v + p * Tile::keys * 128, maps.v, box, at.keys_full);
  }
  PipelineState<Tile::stages> state;
  for (int n = 0; n < w.heads * w.tiles; ++n, state.next()) {
    const int head = w.kv_head * w.heads + n / w.tiles;
    const int query = (w.first + n % w.tiles) * Tile::queries, s = state.stage;
    ptx::wait(at.q_empty[s], state.parity ^ 1);
    ptx::arrive_expecting(at.q_full[s], Tile::query_bytes + Tile::row_bytes);
#pragma unroll
    for (int p = 0; p < Tile::panels; ++p)
      ptx::load_box(at.q[s] + p * Tile::queries * 128, maps.q,
                    ptx::HeadBox{64 * p, w.s.first_query + query, head, w.s.batch}, at.q_full[s]);
    ptx::load_bytes(at.rows[s],
                    rows + (std::int64_t(w.s.batch) * heads + head) * padded + w.row + query,
                    Tile::row_bytes, at.q_full[s]);
    const auto [g, d_o_parity] = d_o_state<Tile>(state, n);
    ptx::wait(at.d_o_empty[g], d_o_parity ^ 1);
    ptx::arrive_expecting(at.d_o_full[g], Tile::query_bytes);
#pragma unroll
    for (int p = 0; p < Tile::panels; ++p)
      ptx::load_box(at.d_o[g] + p * Tile::queries * 128, maps.d_o,
                    ptx::HeadBox{64 * p, w.s.first_query + query, head, w.s.batch}, at.d_o_full[g]);
  }
}

// d = a b^T, both with dim along their rows: 64 keys of a, the queries of a stage in b.
template <class Tile>
__device__ __forceinline__ void multiply_dim(typename Tile::Scores& d, const unsigned char* a,
                                             const unsigned char* b, int group) {
  const std::uint64_t at =
      ptx::descriptor(a + Tile::first_key(group) / 64 * patch_bytes, 16, pattern_bytes);
  const std::uint64_t bt = ptx::descriptor(b, 16, pattern_bytes);
#pragma unroll
  for (int p = 0; p < Tile::panels; ++p)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t a_now = ptx::advance(at, p * Tile::keys * 128 + i * 32);
      const std::uint64_t b_now = ptx::advance(bt, p * Tile::queries * 128 + i * 32);
      if (p == 0 && i == 0)
        ptx::multiply_first<typename Tile::T, false, false>(d, a_now, b_now);
      else
        ptx::multiply<typename Tile::T, false, false>(d, a_now, b_now, true);
    }
  ptx::commit_products();
}

// sums += words b: words are 64 keys by the queries of a stage, b has the queries down its rows. Of b, the group's columns.
template <class Tile>
__device__ __forceinline__ void multiply_queries(typename Tile::Sums& sums,
                                                 const typename Tile::Words& words,
                                                 const unsigned char* b, int group) {
  if constexpr (Tile::split) b += group * (Tile::columns / 64) * Tile::queries * 128;
  const std::uint64_t bt = ptx::descriptor(b, Tile::queries * 128, pattern_bytes);
#pragma unroll
  for (int i = 0; i < Tile::queries / 16; ++i) {
    const std::uint32_t a[4] = {words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]};
    ptx::multiply<typename Tile::T, true>(sums, a, ptx::advance(bt, i * 16 * 128), true);
  }
  ptx::commit_products();
}

// A part of this group's dq = ds k: 64 rows by 64 columns. Where the columns are split each group has its own ds.
template <class Tile>
__device__ __forceinline__ void multiply_all_keys(float (&dq)[32], const unsigned char* ds,
                                                  const unsigned char* k, int group, int part) {
  const int rows = Tile::query_panels > 1 || Tile::split ? group : 0;
  const int columns = Tile::panels > 1 ? group * Tile::dq_parts + part : 0;
  const std::uint64_t a = ptx::descriptor(ds + rows * Tile::keys * 128, 16, pattern_bytes);
  const std::uint64_t b = ptx::descriptor(k + columns * Tile::keys * 128, 16, pattern_bytes);
#pragma unroll
  for (int i = 0; i < Tile::keys / 16; ++i) {
    const std::uint64_t a_now = ptx::advance(a, i * 16 * 128),
                        b_now = ptx::advance(b, i * 16 * 128);
    if (i == 0)
      ptx::multiply_first<typename Tile::T, true, true>(dq, a_now, b_now);
    else
      ptx::multiply<typename Tile::T, true, true>(dq, a_now, b_now, true);
  }
  ptx::commit_products();
}

// General: with a soft cap or dropout, in a kernel of its own. They cost the others nothing.
template <class Tile, bool General>
struct BackwardConsumer {
  using T = typename Tile::T;
  BackwardStorage<Tile>& at;
  const BackwardProblem<T>& problem;
  const DqSums& dq_sums;
  int group;

  static constexpr int both_barrier = first_free_barrier;

  __device__ __forceinline__ static void release(ptx::Barrier& empty) {
    if (threadIdx.x % 32 == 0) ptx::arrive(empty);
  }

  // dq of 64 x 64: each warp puts its sums down and TMA adds them to those in global memory.
  __device__ __forceinline__ void add_dq(const float (&dq)[32], const KeyWork& w, int head,
                                         int query, int part) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
    float* const mine = at.dq[group * 4 + warp];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      reinterpret_cast<float4*>(mine)[j * 32 + lane] =
          float4{dq[4 * j], dq[4 * j + 1], dq[4 * j + 2], dq[4 * j + 3]};
    ptx::fence_async_proxy();
    __syncwarp();
    const int row = query + (Tile::query_panels > 1 ? group * 64 : 0) + warp * 16;
    const int column = Tile::panels > 1 ? (group * Tile::dq_parts + part) * 8 : 0;
    const int columns = min(8, dq_sums.columns - column);
    if (lane != 0 || row >= w.s.queries || columns <= 0) return;
    float* const to =
        dq_sums.strip(std::int64_t(w.s.batch) * problem.heads + head, w.strip + row / 16) +
        column * FragmentSum::floats;
    ptx::add_floats(to, mine, columns * FragmentSum::floats * int(sizeof(float)));
    ptx::commit_stores();
  }

  // Of the last tile of a packed sequence: what follows belongs to the next one.
  template <int Rows>
  __device__ __forceinline__ void clear_tails(unsigned char* one, unsigned char* other, int left) {
    const int thread = group * ptx::warp_group + threadIdx.x % ptx::warp_group;
    clear_rows<Rows, Tile::dim, 2 * ptx::warp_group>(one, left, thread);
    clear_rows<Rows, Tile::dim, 2 * ptx::warp_group>(other, left, thread);
    ptx::fence_async_proxy();
    ptx::sync_some(both_barrier, 2 * ptx::warp_group);
  }

  __device__ __forceinline__ void keys(const KeyWork& w) {
    const Visible visible = problem.visible(w.s);
    const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
    const int key = w.key + Tile::first_key(group) + warp * 16 + lane / 4;
    Keys seen[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int one = key + 8 * half;
      seen[half] = one < visible.keys ? visible.queries_of(one, one + 1) : Keys{0, 0};
    }
    const float scale = problem.scale * softmax::log2_e;
    typename Tile::Sums dk, dv;
#pragma unroll
    for (int i = 0; i < Tile::columns / 2; ++i) dk[i] = dv[i] = 0;
    ptx::hold(dk);
    ptx::hold(dv);

    PipelineState<Tile::stages> state;
    int last = -1;  // the stage whose queries dk still reads
    const bool packed = problem.sequences.q_offsets != nullptr;
    if (w.tiles > 0) ptx::wait(at.keys_full, 0);
    if (packed && w.tiles > 0 && visible.keys - w.key < Tile::keys)
      clear_tails<Tile::keys>(at.k, at.v, visible.keys - w.key);
    for (int n = 0; n < w.heads * w.tiles; ++n, state.next()) {
      const int head = w.kv_head * w.heads + n / w.tiles, s = state.stage;
      const int query = (w.first + n % w.tiles) * Tile::queries;
      const auto [g, d_o_parity] = d_o_state<Tile>(state, n);
      typename Tile::Scores p, dp;
      ptx::wait(at.q_full[s], state.parity);
      if (packed && visible.queries - query < Tile::queries) {
        ptx::wait(at.d_o_full[g], d_o_parity);
        clear_tails<Tile::queries>(at.q[s], at.d_o[g], visible.queries - query);
      }
      ptx::fence_products();
      multiply_dim<Tile>(p, at.k, at.q[s], group);
      ptx::wait(at.d_o_full[g], d_o_parity);
      multiply_dim<Tile>(dp, at.v, at.d_o[g], group);
      if (Tile::dk_overlaps && last >= 0) {
        ptx::wait_products<2>();
        release(at.q_empty[last]);
      }
      last = s;
      ptx::wait_products<1>();
      ptx::hold(p);
      const float2* const rows = at.rows[s] + lane % 4 * 2;
      float2 row[2];
      typename Tile::Words p_words, ds_words;
      typename Tile::Kept kept;
      if constexpr (General) {
        if (problem.dropout.on) find_kept(kept, w, head, query);
        weigh(p, p_words, kept, rows, seen, query + lane % 4 * 2);
      } else {
#pragma unroll
        for (int j = 0; j < Tile::queries / 8; ++j) {
          row[0] = rows[8 * j];
          row[1] = rows[8 * j + 1];
#pragma unroll
          for (int e = 0; e < 4; ++e)
            p[4 * j + e] = ptx::exp2(fmaf(p[4 * j + e], scale, -row[e % 2].x));
        }
        const int first = w.key + Tile::first_key(group);
        const bool whole =
            visible.whole(query, min(query + Tile::queries, visible.queries), first, first + 64);
        if (!whole) hide(p, seen, query + lane % 4 * 2);
        round_pairs<T>(p, p_words);
      }
      ptx::wait_products<0>();
      ptx::hold(dp);
      if constexpr (General)
        if (problem.dropout.on) drop(dp, kept);
#pragma unroll
      for (int j = 0; j < Tile::queries / 8; ++j) {
        row[0] = rows[8 * j];
        row[1] = rows[8 * j + 1];
#pragma unroll
        for (int e = 0; e < 4; ++e) dp[4 * j + e] = p[4 * j + e] * (dp[4 * j + e] - row[e % 2].y);
      }
      round_pairs<T>(dp, ds_words);
      ptx::fence_products();
      multiply_queries<Tile>(dv, p_words, at.d_o[g], group);
      // All have read the ds of the last tile; what a warp left for TMA is read, too.
      if (lane == 0) ptx::wait_stores_read<0>();
      meet(0);
#pragma unroll
      for (int panel = 0; panel < Tile::query_panels; ++panel)
        write_patch(ds_words + 16 * panel, at.ds + panel * Tile::keys * 128 + group * patch_bytes);
      ptx::fence_async_proxy();
      meet(1);
      float dq[32];
      ptx::fence_products();
      multiply_all_keys<Tile>(dq, at.ds, at.k, group, 0);
      multiply_queries<Tile>(dk, ds_words, at.q[s], group);
      ptx::wait_products<1>();
      ptx::hold(dq);
      release(at.d_o_empty[g]);
      add_dq(dq, w, head, query, 0);
      if constexpr (Tile::dq_parts > 1) {
        ptx::fence_products();
        multiply_all_keys<Tile>(dq, at.ds, at.k, group, 1);
        if (lane == 0) ptx::wait_stores_read<0>();
        __syncwarp();
        ptx::wait_products<0>();
        ptx::hold(dq);
        add_dq(dq, w, head, query, 1);
      }
      if constexpr (!Tile::dk_overlaps) {
        ptx::wait_products<0>();
        release(at.q_empty[s]);
      }
    }
    ptx::wait_products<0>();
    ptx::hold(dv);
    ptx::hold(dk);
    if constexpr (Tile::split) {
      ptx::sync_some(both_barrier, 2 * ptx::warp_group);  // the other group has read the values
    }
    store_keys(dv, problem.dv, problem.value_dim, 1.0f, w);
    store_keys(dk, problem.dk, problem.dim, problem.scale, w);
    if (lane == 0) ptx::wait_stores_read<0>();
  }

  // Those who read the same ds, at one of two barriers.
  __device__ __forceinline__ void meet(int which) const {
    if constexpr (Tile::split)
      ptx::sync_some(both_barrier + 1 + group, ptx::warp_group);
    else
      ptx::sync_some(both_barrier + which, 2 * ptx::warp_group);
  }

  // Which pairs of a tile dropout keeps: bit i % 32 of word i / 32 for element i of this thread.
  __device__ __forceinline__ void find_kept(typename Tile::Kept& kept, const KeyWork& w, int head,
                                            int query) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
    const int key = w.key + Tile::first_key(group) + warp * 16 + lane / 16 * 4;
    const std::int64_t row = problem.row(w.s, head, query + lane % 4 * 2);
#pragma unroll
    for (int i = 0; i < Tile::queries / 64; ++i)
      kept[i] = kept_down<8>(problem.dropout, [&](int n, int e) {
        return problem.dropout.words(row + e % 2 + 64 * i + 8 * n, (key + e / 2 * 8) / 4);
      });
  }
  __device__ __forceinline__ float dropped(float x, const typename Tile::Kept& kept, int i) const {
    return kept[i / 32] >> (i % 32) & 1 ? x * problem.dropout.kept : 0.0f;
  }
  __device__ __forceinline__ void drop(typename Tile::Scores& x,
                                       const typename Tile::Kept& kept) const {
#pragma unroll
    for (int i = 0; i < Tile::queries / 2; ++i) x[i] = dropped(x[i], kept, i);
  }

  // The general way from scores to weights: `words` gets those of the values, with dropout; p, which makes ds, stays without, times
  // the slope of the soft cap.
  __device__ __forceinline__ void weigh(typename Tile::Scores& p, typename Tile::Words& words,
                                        const typename Tile::Kept& kept, const float2* rows,
                                        const Keys (&seen)[2], int query) const {
    const float cap = problem.softcap, by = softmax::log2_e * (cap != 0 ? cap : problem.scale);
    const float to_cap = problem.scale / cap;
#pragma unroll
    for (int i = 0; i < Tile::queries / 2; i += 2) {  // two neighbouring queries of one key
      const Keys& some = seen[i / 2 % 2];
      float weight[2];
      std::uint32_t word[1];
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int at = i / 4 * 8 + e;
        float x = p[i + e], slope = 1;
        if (cap != 0) {
          x = capped(x * to_cap);
          slope = 1 - x * x;
        }
        const bool is_seen = some.first <= query + at && query + at < some.last;
        x = is_seen ? ptx::exp2(x * by - rows[at].x) : 0.0f;
        weight[e] = problem.dropout.on ? dropped(x, kept, i + e) : x;
        p[i + e] = x * slope;
      }
      round_pairs<T>(weight, word);
      words[i / 2] = word[0];
    }
  }

  template <int Count>
  __device__ __forceinline__ static void hide(float (&p)[Count], const Keys (&seen)[2], int query) {
#pragma unroll
    for (int j = 0; j < Count / 4; ++j)
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int i = query + 8 * j + e % 2;
        if (i < seen[e / 2].first || i >= seen[e / 2].last) p[4 * j + e] = 0;
      }
  }

  // Through shared memory of the values that nobody else reads (any more): each warp its 16 rows.
  __device__ __forceinline__ void store_keys(typename Tile::Sums& sums, const Rows<T>& to,
                                             int columns, float factor, const KeyWork& w) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
    const int first = w.key + Tile::first_key(group) + warp * 16;
#pragma unroll
    for (int i = 0; i < Tile::columns / 2; ++i) sums[i] *= factor;
#pragma unroll
    for (int panel = 0; panel < Tile::columns / 64; ++panel) {
      const int all_panels = Tile::split ? group * (Tile::columns / 64) + panel : panel;
      unsigned char* const patch =
          at.v + all_panels * Tile::keys * 128 + Tile::first_key(group) / 64 * patch_bytes;
      std::uint32_t words[16];
      round_pairs<T>(sums + 32 * panel, words);
      __syncwarp();
      write_patch(words, patch);
      __syncwarp();
      const int column = 64 * all_panels + lane % 8 * 8;
#pragma unroll
      for (int i = 0; i < 16; i += 4) {
        const int row = i + lane / 8;
        if (first + row >= w.s.keys || column >= columns) continue;
        *reinterpret_cast<uint4*>(to.at(w.s.batch, w.s.first_key + first + row, w.kv_head) +
                                  column) =
            *reinterpret_cast<const uint4*>(swizzled(patch, warp * 16 + row, lane % 8 * 16));
      }
    }
  }
};

}  // namespace warpath::attention::hopper
