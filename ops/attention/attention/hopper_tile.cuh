// What the Hopper rungs stand on: the tile of a block, its shared memory, its loads and its products.
//
// A block has 64 queries per warp group of consumers and visits the keys from the last tile to the first, so that the
// tiles that need a mask come first. Queries and keys lie in panels of 64 elements of dim, 128 bytes per row, as
// TMA writes them and as wgmma reads them; values lie in the same way and are read with dim along the rows.
#pragma once
#include "core/block/softmax_stat.cuh"
#include "core/hopper/pipeline_state.cuh"
#include "core/hopper/ring.cuh"
#include "core/hopper/staging.cuh"
#include "core/hopper/warp_groups.cuh"
#include "core/ptx/tma.cuh"
#include "core/ptx/wgmma.cuh"
#include "core/warp/reduce.cuh"
#include "ops/attention/visible.h"

namespace warpath::attention::hopper {

using namespace warpath::hopper;

template <class T_, int Dim, int ValueDim, int Keys, int Groups, int Stages>
struct Tile {
  using T = T_;
  static constexpr int dim = Dim, value_dim = ValueDim, keys = Keys, groups = Groups;
  static constexpr int stages = Stages, rows = 64 * Groups;
  static constexpr int q_bytes = rows * Dim * 2, k_bytes = Keys * Dim * 2;
  static constexpr int v_bytes = Keys * ValueDim * 2;
  static_assert(Dim % 64 == 0 && ValueDim % 64 == 0 && ValueDim <= Dim && Keys % 16 == 0);
  static constexpr int threads = (Groups + 1) * ptx::warp_group;  // a producer's group, too
  // Per thread: all of a block's are (Groups + 1) * 168 or 128.
  static constexpr int producer_registers = Groups == 2 ? 40 : 32;
  static constexpr int consumer_registers = Groups == 2 ? 232 : 160;
  using Scores = float[Keys / 2];
  using Sums = float[ValueDim / 2];
};

// One tile of queries of one head.
struct Work {
  int batch, head, kv_head;
  int row;            // first query of the tile, counted in its sequence
  int queries, keys;  // of the sequence
  int q_at, k_at;     // where the sequence begins on the axis of the tensors
};

template <class Tile>
struct Storage {
  alignas(1024) unsigned char q[Tile::q_bytes];
  alignas(1024) unsigned char k[Tile::stages][Tile::k_bytes];
  alignas(1024) unsigned char v[Tile::stages][Tile::v_bytes];
  ptx::Barrier q_full, q_empty;
  ptx::Barrier k_full[Tile::stages], k_empty[Tile::stages];
  ptx::Barrier v_full[Tile::stages], v_empty[Tile::stages];

  // By one thread; a barrier of the block must follow.
  __device__ __forceinline__ void init() {
    constexpr unsigned readers = warps_of(Tile::groups);
    ptx::init(q_full, 1);
    ptx::init(q_empty, readers);
    for (int s = 0; s < Tile::stages; ++s) {
      ptx::init(k_full[s], 1);
      ptx::init(v_full[s], 1);
      ptx::init(k_empty[s], readers);
      ptx::init(v_empty[s], readers);
    }
    ptx::fence_init();
  }
};

struct Maps {
  CUtensorMap q, k, v;
};

// The tiles of keys that a tile of queries visits, [first, last); none where first == last.
struct KeyTiles {
  int first, last;
};
template <class Tile>
__device__ __forceinline__ KeyTiles key_tiles(const Visible& visible, int row) {
  const Keys span = visible.of_rows(row, min(row + Tile::rows, visible.queries));
  if (span.last <= span.first) return {0, 0};
  return {span.first / Tile::keys, (span.last + Tile::keys - 1) / Tile::keys};
}

// The producer's side: one thread.
template <class Tile>
struct Loads {
  Storage<Tile>& at;
  const Maps& maps;
  PipelineState<Tile::stages> k_state, v_state;
  unsigned q_parity = 0;

  __device__ __forceinline__ Loads(Storage<Tile>& storage, const Maps& m) : at(storage), maps(m) {}

  __device__ __forceinline__ void load_q(const Work& w) {
    ptx::wait(at.q_empty, q_parity ^ 1);
    q_parity ^= 1;
    ptx::arrive_expecting(at.q_full, Tile::q_bytes);
#pragma unroll
    for (int p = 0; p < Tile::dim / 64; ++p)
      ptx::load_box(at.q + p * Tile::rows * 128, maps.q,
                    ptx::HeadBox{64 * p, w.q_at + w.row, w.head, w.batch}, at.q_full);
  }
  __device__ __forceinline__ void load_k(const Work& w, int tile) {
    const int stage = k_state.stage;
    ptx::wait(at.k_empty[stage], k_state.parity ^ 1);
    ptx::arrive_expecting(at.k_full[stage], Tile::k_bytes);
#pragma unroll
    for (int p = 0; p < Tile::dim / 64; ++p)
      ptx::load_box(at.k[stage] + p * Tile::keys * 128, maps.k,
                    ptx::HeadBox{64 * p, w.k_at + tile * Tile::keys, w.kv_head, w.batch},
                    at.k_full[stage]);
    k_state.next();
  }
  __device__ __forceinline__ void load_v(const Work& w, int tile) {
    const int stage = v_state.stage;
    ptx::wait(at.v_empty[stage], v_state.parity ^ 1);
    ptx::arrive_expecting(at.v_full[stage], Tile::v_bytes);
#pragma unroll
    for (int p = 0; p < Tile::value_dim / 64; ++p)
      ptx::load_box(at.v[stage] + p * Tile::keys * 128, maps.v,
                    ptx::HeadBox{64 * p, w.k_at + tile * Tile::keys, w.kv_head, w.batch},
                    at.v_full[stage]);
    v_state.next();
  }
  // Everything one tile of queries needs, in the order in which the consumers ask for it.
  __device__ __forceinline__ void load(const Work& w, KeyTiles tiles) {
    if (tiles.first == tiles.last) return;
    load_k(w, tiles.last - 1);
    load_q(w);
    for (int t = tiles.last - 1; t > tiles.first; --t) {
      load_k(w, t - 1);
      load_v(w, t);
    }
    load_v(w, tiles.first);
  }
};

// Zeros in the rows of a tile from `from` on. Behind the last token of a packed sequence come those of the next one. Their
// weights are 0, but 0 * NaN is NaN: they are overwritten before any group multiplies. A fence and a barrier must
// follow.
template <int Rows, int Dim, int Threads>
__device__ __forceinline__ void clear_rows(unsigned char* tile, int from, int thread) {
  for (int i = from * 8 + thread; i < Rows * 8; i += Threads)
#pragma unroll
    for (int panel = 0; panel < Dim / 64; ++panel)
      *reinterpret_cast<uint4*>(tile + panel * Rows * 128 + i * 16) = uint4{};
}

// scores = q k^T for 64 rows; may still run when this returns.
template <class Tile>
__device__ __forceinline__ void multiply_keys(typename Tile::Scores& scores, const unsigned char* q,
                                              const unsigned char* k, int group) {
  const std::uint64_t a = ptx::descriptor(q + group * patch_bytes, 16, pattern_bytes);
  const std::uint64_t b = ptx::descriptor(k, 16, pattern_bytes);
#pragma unroll
  for (int p = 0; p < Tile::dim / 64; ++p)
#pragma unroll
    for (int i = 0; i < 4; ++i)  // 16 elements of dim each
      ptx::multiply<typename Tile::T, false, false>(
          scores, ptx::advance(a, p * Tile::rows * 128 + i * 32),
          ptx::advance(b, p * Tile::keys * 128 + i * 32), p > 0 || i > 0);
  ptx::commit_products();
}

// Probabilities, rounded, as the left operand of the product with the values: 4 words for each 16 keys.
template <class Tile>
using Weights = std::uint32_t[Tile::keys / 16][4];

template <class Tile>
__device__ __forceinline__ void round_weights(Weights<Tile>& to, const typename Tile::Scores& p) {
#pragma unroll
  for (int i = 0; i < Tile::keys / 16; ++i) round_pairs<typename Tile::T>(p + 8 * i, to[i]);
}

// sums += weights * v; may still run when this returns.
template <class Tile>
__device__ __forceinline__ void multiply_values(typename Tile::Sums& sums,
                                                const Weights<Tile>& weights,
                                                const unsigned char* v) {
  const std::uint64_t b = ptx::descriptor(v, Tile::keys * 128, pattern_bytes);
#pragma unroll
  for (int i = 0; i < Tile::keys / 16; ++i)
    ptx::multiply<typename Tile::T, true>(sums, weights[i], ptx::advance(b, i * 16 * 128), true);
  ptx::commit_products();
}

// The two rows of a thread, 8 apart, of the 64 of its warp group.
struct RowStats {
  float max[2] = {-INFINITY, -INFINITY};
  float sum[2] = {0, 0};  // of this thread's columns only
};

// Scores that a row may not see become -inf. `seen`: of the thread's two rows; `key`: of its first column.
template <int Count>
__device__ __forceinline__ void mask(float (&scores)[Count], const Keys (&seen)[2], int key) {
#pragma unroll
  for (int j = 0; j < Count / 4; ++j)
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int column = key + 8 * j + e % 2;
      if (column < seen[e / 2].first || column >= seen[e / 2].last) scores[4 * j + e] = -INFINITY;
    }
}

// Scores become 2^(scale * score - max), the statistics are carried on; `factor` is what older sums must be multiplied
// with. The scale is that of the scores times log2(e).
template <int Count>
__device__ __forceinline__ void exponentiate(float (&scores)[Count], RowStats& stats, float scale,
                                             float (&factor)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float max = stats.max[half];
#pragma unroll
    for (int j = 0; j < Count / 4; ++j)
      max = fmaxf(max, fmaxf(scores[4 * j + 2 * half], scores[4 * j + 2 * half + 1]));
    max = warp_reduce<4>(max, [](float a, float b) { return fmaxf(a, b); });
    const float shift = softmax::shift_of(max, scale);
    factor[half] = softmax::shrink_to(shift, stats.max[half], scale);
    stats.max[half] = max;
    float sum = stats.sum[half] * factor[half];
#pragma unroll
    for (int j = 0; j < Count / 4; ++j)
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& s = scores[4 * j + 2 * half + e];
        s = softmax::exp_scaled(s, scale, shift);
        sum += s;
      }
    stats.sum[half] = sum;
  }
}

template <int Count>
__device__ __forceinline__ void rescale(float (&sums)[Count], const float (&factor)[2]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) sums[i] *= factor[i / 2 % 2];
}

}  // namespace warpath::attention::hopper
