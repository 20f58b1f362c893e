// A warp's part of flash attention 2: its rows' scores, statistics and sums in registers, multiplied by mma.sync.
#pragma once
#include "core/ptx/mma.cuh"
#include "core/warp/transpose_4x4.cuh"
#include "ops/attention/attention/problem.cuh"
#include "ops/attention/shared_tile.cuh"

namespace warpath::attention {

using softmax::Stat;

// What a warp keeps of its rows. Lane i has, of each 16 x 8 elements, those at columns 2 (i % 4) and the next of row i / 4, then of
// row i / 4 + 8.
// S: see 06_mma.cu.
template <class T, class S, int D, int V>
struct WarpRows {
  static constexpr int M = S::M, keys = S::keys;
  float o[M][V / 8][4] = {}, s[M][keys / 8][4];
  Stat row[M][2];
  std::uint32_t q[M][S::keep_q ? D / 16 : 1][4];

  __device__ __forceinline__ WarpRows() {
#pragma unroll
    for (int m = 0; m < M; ++m) row[m][0] = row[m][1] = softmax::nothing();
  }

  __device__ __forceinline__ void load_q(const typename S::Queries::Lane& lane, int step) {
#pragma unroll
    for (int m = 0; m < M; ++m)
      ptx::load_matrices(q[m][S::keep_q ? step : 0], lane.address(16 * m, step));
  }

  // s = q k^T
  __device__ __forceinline__ void multiply_keys(const typename S::Queries::Lane& q_lane,
                                                const typename S::KeyTile::Lane& k_lane) {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int n = 0; n < keys / 8; ++n) s[m][n][0] = s[m][n][1] = s[m][n][2] = s[m][n][3] = 0.0f;
#pragma unroll
    for (int step = 0; step < D / 16; ++step) {
      if constexpr (!S::keep_q) load_q(q_lane, step);
#pragma unroll
      for (int n = 0; n < keys / 16; ++n) {
        std::uint32_t k[4];
        ptx::load_matrices(k, k_lane.address(16 * n, step));
#pragma unroll
        for (int m = 0; m < M; ++m) {
          const auto& a = q[m][S::keep_q ? step : 0];
          ptx::mma<T>(s[m][2 * n], a, k[0], k[1]);
          ptx::mma<T>(s[m][2 * n + 1], a, k[2], k[3]);
        }
      }
    }
  }

  // f(score, its neighbour, row, column): relative to the warp's first row and the tile's first key.
  template <class F>
  __device__ __forceinline__ void for_each_pair(F&& f) {
#pragma unroll
    for (int step = 0; step < keys / 16; ++step) for_each_pair(step, f);
  }
  // Of the 16 keys of a step.
  template <class F>
  __device__ __forceinline__ void for_each_pair(int step, F&& f) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int n = 2 * step; n < 2 * step + 2; ++n)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          f(s[m][n][2 * h], s[m][n][2 * h + 1], 16 * m + 8 * h + lane / 4, 8 * n + lane % 4 * 2);
  }

  // Sums and o follow the maximum. All rows at once: their shuffles overlap, and one branch is left.
  __device__ __forceinline__ void follow_maximum(float factor) {
    float shrink[M][2];
    bool grown = false;
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        float max = row[m][h].max;
#pragma unroll
        for (int n = 0; n < keys / 8; ++n)
          max = fmaxf(max, fmaxf(s[m][n][2 * h], s[m][n][2 * h + 1]));
        max = warp_reduce<4>(max, [](float a, float b) { return fmaxf(a, b); });
        const float shift = softmax::shift_of(max, factor);
        shrink[m][h] = softmax::shrink_to(shift, row[m][h].max, factor);
        row[m][h] = {max, row[m][h].sum * shrink[m][h]};
        grown = grown || shrink[m][h] != 1.0f;
      }
    if (!__any_sync(full_mask, grown)) return;  // most tiles hold no new maximum
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int n = 0; n < V / 8; ++n)
#pragma unroll
        for (int e = 0; e < 4; ++e) o[m][n][e] *= shrink[m][e / 2];
  }

  // The scores of 16 keys become probabilities relative to the maximum. A lane adds up its own columns only.
  __device__ __forceinline__ void exponentiate(int step, float factor) {
#pragma unroll
    for (int m = 0; m < M; ++m)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float shift = softmax::shift_of(row[m][h].max, factor);
#pragma unroll
        for (int n = 2 * step; n < 2 * step + 2; ++n)
#pragma unroll
          for (int e = 2 * h; e < 2 * h + 2; ++e)
            row[m][h].sum += s[m][n][e] = softmax::exp_scaled(s[m][n][e], factor, shift);
      }
  }

  // o += p v; weigh(step) makes the p of 16 keys, while the products of the keys before run.
  template <class F>
  __device__ __forceinline__ void multiply_values(const typename S::ValueTile::Lane& lane,
                                                  F&& weigh) {
#pragma unroll
    for (int step = 0; step < keys / 16; ++step) {
      weigh(step);
      std::uint32_t p[M][4];
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const float* const pair = s[m][2 * step + i / 2] + i % 2 * 2;
          p[m][i] = pack<T>(pair[0], pair[1]);
        }
#pragma unroll
      for (int n = 0; n < V / 16; ++n) {
        std::uint32_t v[4];
        ptx::load_matrices_transposed(v, lane.address(16 * step, n));
#pragma unroll
        for (int m = 0; m < M; ++m) {
          ptx::mma<T>(o[m][2 * n], p[m], v[0], v[1]);
          ptx::mma<T>(o[m][2 * n + 1], p[m], v[2], v[3]);
        }
      }
    }
  }

  // o and lse; `scale` is what makes a logit of a score.
  __device__ __forceinline__ void store(const Problem<T>& p, const Tile& tile, int first,
                                        float scale, bool vectors) {
    const int lane = threadIdx.x % 32, t = lane % 4;
#pragma unroll
    for (int i = 0; i < 2 * M; ++i) {
      const int m = i / 2, h = i % 2, query = first + 16 * m + 8 * h + lane / 4;
      const bool inside = query < tile.s.queries;
      const float sum = warp_reduce<4>(row[m][h].sum, Sum{});
      const float inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
      if (inside && t == 0)
        p.lse[p.row(tile.s, tile.head, query)] =
            sum > 0.0f ? fmaf(row[m][h].max, scale, logf(sum)) : -INFINITY;
      T* const to = p.o.at(tile.s.batch, tile.s.first_query + query, tile.head);
#pragma unroll
      for (int n = 0; n < V / 8; n += 4) {
        // Two neighbours of each of four times 8 columns become eight neighbours.
        std::uint32_t word[4];
#pragma unroll
        for (int e = 0; e < 4; ++e)
          word[e] = pack<T>(o[m][n + e][2 * h] * inverse, o[m][n + e][2 * h + 1] * inverse);
        transpose_4x4(word);
        const int col = 8 * (n + t);
        if (!inside || col >= p.value_dim) continue;
        const auto eight = reinterpret_cast<const Vector<T, 8>&>(word);
        if (vectors)
          warpath::store<8>(to + col, eight);
        else
          for (int e = 0; e < 8 && col + e < p.value_dim; ++e) to[col + e] = eight.at[e];
      }
    }
  }
};

// Which tensors may be moved 16 bytes at a time.
struct Vectors {
  bool q, k, v, o;
};

inline Vectors vectors_of(const Forward& a) {
  return {in_vectors(a.q), in_vectors(a.k), in_vectors(a.v), in_vectors(a.o)};
}

}  // namespace warpath::attention
