// The consumers of the Hopper rungs: what a warp group does with a tile of queries.
#pragma once
#include "ops/attention/attention/hopper_tile.cuh"
#include "ops/attention/attention/score.cuh"

namespace warpath::attention::hopper {

struct Problem {
  int batch, queries, keys, heads;  // with offsets one batch, and the length of the whole axis
  int group;                        // query heads per key head
  int sequences;
  const int *q_offsets, *k_offsets;  // null: no sequences are packed
  bool causal;
  int window;
  float scale, log2_scale;  // what makes a logit of a score, and times log2(e); both > 0
  float before_cap,
      sign;  // of a general call: what a score is multiplied with before the cap (0: none), or without one
  Dropout dropout;
  void* o;  // contiguous, `value_dim` columns
  int value_dim;
  float* lse;
  int tiles;  // of queries per head, at most
  int heads_together;
};

__device__ __forceinline__ Visible visible_of(const Problem& p, const Work& w) {
  return {w.queries, w.keys, p.causal, p.window};
}

// Where row `row` of a tile's sequence lies in o and in lse.
template <class T>
__device__ __forceinline__ T* o_row(const Problem& p, const Work& w, int row) {
  return static_cast<T*>(p.o) +
         ((std::int64_t(w.batch) * p.queries + w.q_at + row) * p.heads + w.head) * p.value_dim;
}
__device__ __forceinline__ float& lse_of(const Problem& p, const Work& w, int row) {
  return p.lse[(std::int64_t(w.batch) * p.heads + w.head) * p.queries + w.q_at + row];
}

// o = sums / sum of the weights, through the shared memory of this group's queries: rows of 16 bytes per lane.
template <class Tile>
__device__ __forceinline__ void store_rows(typename Tile::Sums& sums, RowStats& stats,
                                           Storage<Tile>& at, const Problem& p, const Work& w,
                                           int group) {
  using T = typename Tile::T;
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  float inverse[2];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float sum = warp_reduce<4>(stats.sum[half], Sum{});
    inverse[half] = sum == 0 ? 0 : 1 / sum;
    const int row = w.row + group * 64 + warp * 16 + lane / 4 + 8 * half;
    if (lane % 4 == 0 && row < w.queries)
      lse_of(p, w, row) = sum == 0 ? -INFINITY : stats.max[half] * p.scale + logf(sum);
  }
  rescale(sums, inverse);
  const int first = w.row + group * 64 + warp * 16;  // of the warp's 16 rows
#pragma unroll
  for (int panel = 0; panel < Tile::value_dim / 64; ++panel) {
    unsigned char* const patch = at.q + panel * Tile::rows * 128 + group * patch_bytes;
    std::uint32_t words[16];
    round_pairs<T>(sums + 32 * panel, words);
    write_patch(words, patch);
    __syncwarp();
    const int column = 64 * panel + lane % 8 * 8;
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      const int row = i + lane / 8;
      if (first + row >= w.queries || column >= p.value_dim) continue;
      *reinterpret_cast<uint4*>(o_row<T>(p, w, first + row) + column) =
          *reinterpret_cast<const uint4*>(swizzled(patch, warp * 16 + row, lane % 8 * 16));
    }
  }
}

// Stores a tile that sees no key. It has loaded no queries: TMA may be filling their place for the next tile.
template <class Tile>
__device__ __forceinline__ void store_zeros(const Problem& p, const Work& w, int group) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  const int first = w.row + group * 64 + warp * 16, last = min(first + 16, w.queries);
  for (int row = first; row < last; ++row) {
    if (lane == 0) lse_of(p, w, row) = -INFINITY;
    if (lane * 8 < p.value_dim)
      *reinterpret_cast<uint4*>(o_row<typename Tile::T>(p, w, row) + lane * 8) = uint4{};
  }
}

// The groups take turns at the tensor cores: a group issues its products, then lets the next one issue, and computes its
// exponentials while those run.
template <int Groups>
struct Turns {
  static constexpr int first = first_free_barrier, both = 2 * ptx::warp_group;
  // Once per block: group 0 begins.
  __device__ __forceinline__ static void open(int group) {
    if (group == Groups - 1) ptx::arrive_some(first, both);
  }
  __device__ __forceinline__ static void take(int group) { ptx::sync_some(first + group, both); }
  __device__ __forceinline__ static void pass(int group) {
    ptx::arrive_some(first + (group == Groups - 1 ? 0 : group + 1), both);
  }
  // Once per block, at its end: the last arrival meets its wait.
  __device__ __forceinline__ static void close(int group) {
    if (group == 0) take(group);
  }
};

// The mask of a warp group's 64 rows: only a tile of keys that some row may not see in whole needs it.
template <class Tile>
struct Mask {
  Visible visible;
  int begin, end;  // the group's rows
  Keys seen[2];    // by the rows of this thread

  __device__ __forceinline__ Mask(const Visible& v, const Work& w, int group)
      : visible(v), begin(w.row + group * 64), end(min(begin + 64, w.queries)) {
    const int row = begin + threadIdx.x % ptx::warp_group / 32 * 16 + threadIdx.x % 32 / 4;
    seen[0] = visible.of(row);
    seen[1] = visible.of(row + 8);
  }
  __device__ __forceinline__ void hide(typename Tile::Scores& scores, int tile) const {
    const int first = tile * Tile::keys;
    if (!visible.whole(begin, end, first, first + Tile::keys))
      mask(scores, seen, first + threadIdx.x % 4 * 2);
  }
};

// With a soft cap a score becomes a tanh, of which `scale` makes the logit. Else it keeps its size; scales are positive.
template <int Count>
__device__ __forceinline__ void cap(float (&scores)[Count], const Problem& p) {
#pragma unroll
  for (int i = 0; i < Count; ++i)
    scores[i] = p.before_cap != 0 ? capped(scores[i] * p.before_cap) : scores[i] * p.sign;
}

// Zero where dropout drops. `row`: this thread's first, of lse; `key`: the tile's first.
template <int Count>
__device__ __forceinline__ void drop(float (&weights)[Count], const Dropout& dropout,
                                     std::int64_t row, int key) {
#pragma unroll
  for (int i = 0; i < Count; i += 32) {
    const int group = (key + 2 * i) / 4 + threadIdx.x % 4 / 2;
    const unsigned kept = kept_along<8>(
        dropout, [&](int n, int half) { return dropout.words(row + 8 * half, group + 2 * n); });
#pragma unroll
    for (int e = 0; e < 32; ++e)
      if (!(kept >> e & 1)) weights[i + e] = 0;
  }
}

// By every thread of a warp that has read what the barrier guards.
__device__ __forceinline__ void release(ptx::Barrier& empty) {
  if (threadIdx.x % 32 == 0) ptx::arrive(empty);
}

// Of the last tile of a packed sequence, which has `keys` keys left. By all consumers, when the values are there.
template <class Tile>
__device__ __forceinline__ void clear_tail(unsigned char* v, int keys, int group) {
  if (keys >= Tile::keys) return;
  if (group == 0) {
    clear_rows<Tile::keys, Tile::value_dim, ptx::warp_group>(v, keys,
                                                             threadIdx.x % ptx::warp_group);
    ptx::fence_async_proxy();
  }
  ptx::sync_some(Turns<Tile::groups>::first + Tile::groups, Tile::groups * ptx::warp_group);
}

// What the rungs differ in. TakesTurns: the groups take turns at the tensor cores. Overlapped: exponentials are computed
// while the products with the values run. General: with a soft cap, dropout or a negative scale, in a kernel of its own:
// they cost the others nothing.
template <bool TakesTurns, bool Overlapped, bool General = false>
struct Way {
  static constexpr bool turns = TakesTurns, overlapped = Overlapped, general = General;
};

template <class Tile, class How>
struct Consumer {
  Storage<Tile>& at;
  const Problem& problem;
  int group;
  PipelineState<Tile::stages> k_state, v_state;
  unsigned q_parity = 0;

  __device__ __forceinline__ Consumer(Storage<Tile>& storage, const Problem& p, int g)
      : at(storage), problem(p), group(g) {}

  __device__ __forceinline__ void tile(const Work& w) {
    const Visible visible = visible_of(problem, w);
    const KeyTiles tiles = key_tiles<Tile>(visible, w.row);
    if (tiles.first == tiles.last) return store_zeros<Tile>(problem, w, group);
    typename Tile::Sums sums;
    RowStats stats;
#pragma unroll
    for (int i = 0; i < Tile::value_dim / 2; ++i) sums[i] = 0;
    attend(w, visible, tiles, sums, stats);
    if constexpr (How::general)
      if (problem.dropout.on) {
        const float kept[2] = {problem.dropout.kept, problem.dropout.kept};
        rescale(sums, kept);
      }
    store_rows<Tile>(sums, stats, at, problem, w, group);
    // TMA may overwrite what the warp has written here and read again.
    ptx::fence_async_proxy();
    __syncwarp();
    release(at.q_empty);
  }

  // The scores of the next tile of keys, which is there, and the product of the last one's weights with its values. Whichever is to be
  // waited for first is issued first.
  __device__ __forceinline__ void start_products(typename Tile::Sums& sums,
                                                 typename Tile::Scores& scores,
                                                 const Weights<Tile>& weights) {
    const auto with_keys = [&] { multiply_keys<Tile>(scores, at.q, at.k[k_state.stage], group); };
    const auto with_values = [&] {
      ptx::wait(at.v_full[v_state.stage], v_state.parity);
      multiply_values<Tile>(sums, weights, at.v[v_state.stage]);
    };
    ptx::fence_products();
    if constexpr (How::overlapped) {
      with_keys();
      with_values();
    } else {
      with_values();
      with_keys();
    }
  }

  // From the scores of a tile of keys to their weights.
  __device__ __forceinline__ void weigh(typename Tile::Scores& scores, const Mask<Tile>& mask,
                                        const Work& w, int tile, RowStats& stats,
                                        float (&factor)[2]) {
    if constexpr (How::general) cap(scores, problem);
    mask.hide(scores, tile);
    exponentiate(scores, stats, problem.log2_scale, factor);
    if constexpr (How::general)
      if (problem.dropout.on) {
        const int row =
            w.q_at + mask.begin + threadIdx.x % ptx::warp_group / 32 * 16 + threadIdx.x % 32 / 4;
        drop(scores, problem.dropout,
             (std::int64_t(w.batch) * problem.heads + w.head) * problem.queries + row,
             tile * Tile::keys);
      }
  }

  __device__ __forceinline__ void attend(const Work& w, const Visible& visible, KeyTiles tiles,
                                         typename Tile::Sums& sums, RowStats& stats) {
    const Mask<Tile> mask(visible, w, group);
    typename Tile::Scores scores;
    Weights<Tile> weights;
    float factor[2];

    ptx::wait(at.q_full, q_parity);
    q_parity ^= 1;
    ptx::wait(at.k_full[k_state.stage], k_state.parity);
    ptx::fence_products();
    multiply_keys<Tile>(scores, at.q, at.k[k_state.stage], group);
    ptx::wait_products(scores);
    release(at.k_empty[k_state.stage]);
    k_state.next();
    weigh(scores, mask, w, tiles.last - 1, stats, factor);
    round_weights<Tile>(weights, scores);

    if (problem.q_offsets) {
      ptx::wait(at.v_full[v_state.stage], v_state.parity);
      clear_tail<Tile>(at.v[v_state.stage], w.keys - (tiles.last - 1) * Tile::keys, group);
    }

    for (int t = tiles.last - 2; t >= tiles.first; --t) {
      ptx::wait(at.k_full[k_state.stage], k_state.parity);
      if (How::turns) Turns<Tile::groups>::take(group);
      start_products(sums, scores, weights);
      if (How::turns) Turns<Tile::groups>::pass(group);
      ptx::wait_products<How::overlapped ? 1 : 0>();
      ptx::hold(scores);
      release(at.k_empty[k_state.stage]);
      k_state.next();
      weigh(scores, mask, w, t, stats, factor);
      ptx::wait_products<0>();
      ptx::hold(sums);
      release(at.v_empty[v_state.stage]);
      v_state.next();
      rescale(sums, factor);
      round_weights<Tile>(weights, scores);
    }

    ptx::wait(at.v_full[v_state.stage], v_state.parity);
    ptx::fence_products();
    multiply_values<Tile>(sums, weights, at.v[v_state.stage]);
    ptx::wait_products(sums);
    release(at.v_empty[v_state.stage]);
    v_state.next();
  }
};

}  // namespace warpath::attention::hopper
