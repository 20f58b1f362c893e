// Tiles of floats in shared memory for the backward pass: what rungs 02 and 03 have in common.
#pragma once
#include "ops/attention/attention/backward_delta.cuh"

namespace warpath::attention {
namespace {

constexpr int side = 32;           // queries of a tile, and keys
constexpr int tile_threads = 256;  // 8 per row of a tile

inline std::size_t tile_bytes(int dim, int value_dim) {
  return sizeof(float) * 2 * (side * (dim + value_dim + 2) + side * (side + 1) + side);
}

// Rows have odd pitches, so that the rows of a column lie in different banks.
template <class T>
struct BackwardTiles {
  const BackwardProblem<T>& problem;
  int pitch, value_pitch;
  float *q, *d_o, *k, *v, *p, *ds, *lse, *delta;

  __device__ BackwardTiles(const BackwardProblem<T>& problem, float* memory)
      : problem(problem), pitch(problem.dim | 1), value_pitch(problem.value_dim | 1) {
    q = memory;
    k = q + side * pitch;
    d_o = k + side * pitch;
    v = d_o + side * value_pitch;
    p = v + side * value_pitch;  // [query][key]
    ds = p + side * (side + 1);
    lse = ds + side * (side + 1);
    delta = lse + side;
  }

  // Rows [first, end) of one head, at most 32; zeros behind them.
  __device__ void fetch(float* to, int to_pitch, const Rows<const T>& from, int batch,
                        std::int64_t first, int rows, int head, int columns) const {
    for (int at = threadIdx.x; at < side * columns; at += tile_threads) {
      const int r = at / columns, c = at % columns;
      to[r * to_pitch + c] = r < rows ? to_float(from.at(batch, first + r, head)[c]) : 0.0f;
    }
  }
  __device__ void fetch_keys(const Sequence& s, int j0, int kv_head) const {
    const int rows = s.keys - j0;
    fetch(k, pitch, problem.k, s.batch, s.first_key + j0, rows, kv_head, problem.dim);
    fetch(v, value_pitch, problem.v, s.batch, s.first_key + j0, rows, kv_head, problem.value_dim);
  }
  __device__ void fetch_queries(const Sequence& s, int i0, int head, const float* deltas) const {
    const int rows = s.queries - i0;
    fetch(q, pitch, problem.q, s.batch, s.first_query + i0, rows, head, problem.dim);
    fetch(d_o, value_pitch, problem.d_o, s.batch, s.first_query + i0, rows, head,
          problem.value_dim);
    if (int(threadIdx.x) < side && int(threadIdx.x) < rows) {
      const std::int64_t row = problem.row(s, head, i0 + threadIdx.x);
      lse[threadIdx.x] = problem.lse[row];
      delta[threadIdx.x] = deltas[row];
    }
  }

  // p and ds of all pairs: a thread takes one key and four queries.
  __device__ void pairs(const Sequence& s, int i0, int j0, int head) const {
    constexpr int each = side * side / tile_threads, step = side / each;
    const int key = threadIdx.x % side, first = threadIdx.x / side;
    const Visible visible = problem.visible(s);
    float dot[each] = {}, dp[each] = {};
    for (int c = 0; c < problem.dim; ++c) {
      const float of_k = k[key * pitch + c];
#pragma unroll
      for (int e = 0; e < each; ++e) dot[e] += q[(first + e * step) * pitch + c] * of_k;
    }
    for (int c = 0; c < problem.value_dim; ++c) {
      const float of_v = v[key * value_pitch + c];
#pragma unroll
      for (int e = 0; e < each; ++e) dp[e] += d_o[(first + e * step) * value_pitch + c] * of_v;
    }
#pragma unroll
    for (int e = 0; e < each; ++e) {
      const int query = first + e * step, i = i0 + query, j = j0 + key;
      const Keys seen = visible.of(i);
      Pair pair{0, 0};
      if (i < s.queries && seen.first <= j && j < seen.last)
        pair =
            pair_of(problem, dot[e], dp[e], lse[query], delta[query], problem.row(s, head, i), j);
      p[query * (side + 1) + key] = pair.p;
      ds[query * (side + 1) + key] = pair.ds;
    }
  }
};

// A row of a sum over tiles: thread t has row t / 8 and every eighth column from t % 8 on.
template <int Most>
struct RowSum {
  float at[Most / 8] = {};

  static __device__ int row() { return threadIdx.x / 8; }

  // sum[row] += sum over r of weight[r * down + row * right] * x[r]
  __device__ void add(const float* weight, int down, int right, const float* x, int pitch,
                      int columns) {
    for (int r = 0; r < side; ++r) {
      const float w = weight[r * down + row() * right];
#pragma unroll
      for (int e = 0; e < Most / 8; ++e) {
        const int c = threadIdx.x % 8 + 8 * e;
        if (c < columns) at[e] += w * x[r * pitch + c];
      }
    }
  }
  // put(column, sum)
  template <class Put>
  __device__ void each(int columns, Put&& put) const {
#pragma unroll
    for (int e = 0; e < Most / 8; ++e)
      if (const int c = threadIdx.x % 8 + 8 * e; c < columns) put(c, at[e]);
  }
};

// dk and dv of a tile of keys, over all queries that see them and all heads that share them.
// visit(head, first query) runs after each tile of pairs: before the next one is computed.
template <int Most, class T, class Visit>
__device__ void sum_over_queries(const BackwardTiles<T>& tiles, const KeyTile& tile,
                                 const float* deltas, Visit&& visit) {
  const BackwardProblem<T>& problem = tiles.problem;
  const Sequence& s = tile.s;
  const int kv_head = tile.head, j0 = tile.first, end = min(j0 + side, s.keys);
  const Keys rows = problem.visible(s).queries_of(j0, end);
  RowSum<Most> dk, dv;
  tiles.fetch_keys(s, j0, kv_head);
  for (int g = 0; g < problem.group; ++g)
    for (int i0 = rows.first; i0 < rows.last; i0 += side) {
      const int head = kv_head * problem.group + g;
      tiles.fetch_queries(s, i0, head, deltas);
      __syncthreads();
      tiles.pairs(s, i0, j0, head);
      __syncthreads();
      dk.add(tiles.ds, side + 1, 1, tiles.q, tiles.pitch, problem.dim);
      dv.add(tiles.p, side + 1, 1, tiles.d_o, tiles.value_pitch, problem.value_dim);
      visit(head, i0);
      __syncthreads();  // the tiles are read no more
    }
  const int j = j0 + dk.row();
  if (j >= end) return;
  T* const to_dk = problem.dk.at(s.batch, s.first_key + j, kv_head);
  T* const to_dv = problem.dv.at(s.batch, s.first_key + j, kv_head);
  dk.each(problem.dim, [&](int c, float sum) { to_dk[c] = from_float<T>(problem.scale * sum); });
  dv.each(problem.value_dim, [&](int c, float sum) { to_dv[c] = from_float<T>(sum); });
}

// f(std::integral_constant<int, dimensions that the sums have room for>)
template <class F>
void with_room(const Backward& args, F&& f) {
  const auto most = std::max(args.q.shape[3], args.v.shape[3]);
  most <= 64 ? f(std::integral_constant<int, 64>{}) : f(std::integral_constant<int, 256>{});
}

inline std::string tiles_fit(const Backward& args) {
  if (std::string why = up_to_256(args); !why.empty()) return why;
  const auto bytes = tile_bytes(int(args.q.shape[3]), int(args.v.shape[3]));
  return enough_shared_memory(bytes);
}

// launch(room for a head, blocks, tiles per head, bytes of shared memory), where there are keys.
template <class F>
void launch_keys(const Backward& args, F&& launch) {
  if (args.dk.size() + args.dv.size() == 0) return;
  const auto bytes = tile_bytes(int(args.q.shape[3]), int(args.v.shape[3]));
  with_room(args, [&](auto most) {
    launch(most, grid_x(key_tiles_of<side>(args), 1), key_tiles_per_head<side>(args), bytes);
  });
}

template <class T>
void launch_delta(const Backward& args, const BackwardProblem<T>& problem, float* delta,
                  cudaStream_t stream) {
  const std::int64_t rows = args.lse.size();
  if (rows == 0) return;
  sum_delta<<<grid_x(rows, delta_threads / 32), delta_threads, 0, stream>>>(problem, rows, delta);
}

}  // namespace
}  // namespace warpath::attention
