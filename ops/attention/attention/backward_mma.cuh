// How rung 04 of the backward pass cuts a head into tiles, and one warp's part of a pair of tiles.
#pragma once
#include "core/ptx/mma.cuh"
#include "core/ptx/roles.cuh"
#include "ops/attention/attention/backward_delta.cuh"
#include "ops/attention/shared_tile.cuh"

namespace warpath::attention {
namespace {

using softmax::log2_e;

// Heads of up to Dim (q and k) and ValueDim (v). What a warp holds of dk and dv is bounded by its
// registers, 255 per thread: 128 of them for a head of 128.
template <class T, int Dim, int ValueDim>
struct BackwardShape {
  static constexpr int dim = Dim, value_dim = ValueDim, widest = Dim > ValueDim ? Dim : ValueDim;
  // Warps that have the same keys: each takes its share of the queries, and of the columns of dk, dv.
  static constexpr int share = widest > 64 ? 2 : 1;
  static constexpr int row_tiles = widest > 128 ? 1 : 2;  // times 16 keys of a warp
  static constexpr int groups = 4;                        // warps, or pairs, with keys of their own
  static constexpr int warp_keys = 16 * row_tiles, keys = warp_keys * groups;
  static constexpr int warp_queries =
      widest > 192 ? 16 : 32;  // of the scores that a warp has at a time
  static constexpr int queries = widest > 192 ? 32 : 64;
  static constexpr int warps = groups * share, threads = 32 * warps;
  static constexpr int blocks = share == 1 ? 2 : 1;  // per multiprocessor
  // dq: a warp has 32 x as many columns as are left, a multiple of 16, or 16 x twice as many.
  static constexpr int dq_tiles = Dim * queries / (32 * warps) % 16 == 0 ? 2 : 1;
  static constexpr int dq_down = queries / (16 * dq_tiles), dq_columns = Dim * dq_down / warps;
  static_assert(dq_columns % 16 == 0 && Dim / share % 16 == 0 && ValueDim / share % 16 == 0);

  using QueryTile = SharedTile<T, queries, Dim>;
  using GradientTile = SharedTile<T, queries, ValueDim>;  // rows of do
  using KeyRows = SharedTile<T, keys, Dim>;
  using ValueRows = SharedTile<T, keys, ValueDim>;
  using PairTile = SharedTile<T, keys, queries>;

  // Where they lie in shared memory.
  static constexpr int row_bytes = queries * int(sizeof(float2));
  static constexpr int stage_bytes = QueryTile::bytes + GradientTile::bytes + row_bytes;
  static constexpr int stages_at = KeyRows::bytes + ValueRows::bytes;
  static constexpr int pairs_at = stages_at + 2 * stage_bytes;
  static constexpr int bytes = pairs_at + 2 * PairTile::bytes;
  struct Stage {
    std::uint32_t q, d_o;
    std::uint32_t row;  // float2: lse times log2(e), and delta
  };
  static __device__ __forceinline__ Stage stage(std::uint32_t memory, unsigned n) {
    const std::uint32_t q = memory + stages_at + n % 2 * stage_bytes, d_o = q + QueryTile::bytes;
    return {q, d_o, d_o + GradientTile::bytes};
  }
  static __device__ __forceinline__ std::uint32_t pairs(std::uint32_t memory, unsigned n) {
    return memory + pairs_at + n % 2 * PairTile::bytes;
  }
};

// sum (I times 16 rows, J times 8 columns) += a b over Steps times 16 of k. The fragment after the one
// in use is always under way: load_a(fragments, step), load_b(fragment of 16 columns, j, step).
template <class T, int Steps, int I, int J, class LoadA, class LoadB>
__device__ __forceinline__ void multiply(float (&sum)[I][J][4], LoadA&& load_a, LoadB&& load_b) {
  static_assert(J % 2 == 0);
  constexpr int pairs = J / 2;
  std::uint32_t a[2][I][4], b[2][4];
  load_a(a[0], 0);
  load_b(b[0], 0, 0);
#pragma unroll
  for (int n = 0; n < Steps * pairs; ++n) {
    const int step = n / pairs, j = n % pairs, next = n + 1;
    if (next < Steps * pairs) {
      if (next % pairs == 0) load_a(a[next / pairs % 2], next / pairs);
      load_b(b[next % 2], next % pairs, next / pairs);
    }
#pragma unroll
    for (int i = 0; i < I; ++i) {
      ptx::mma<T>(sum[i][2 * j], a[step % 2][i], b[n % 2][0], b[n % 2][1]);
      ptx::mma<T>(sum[i][2 * j + 1], a[step % 2][i], b[n % 2][2], b[n % 2][3]);
    }
  }
}

// A tile of queries of one head.
struct Turn {
  int head, i0;
};

// The tiles of queries that see a tile of keys, in a circle: blocks of a head run at the same time and begin with
// different ones, to add to different dq. Then the same with the next head of the group.
struct QueryWalk {
  KeyTile tile;
  int begin, end, start;  // queries
  int turns;
  int strip;  // where the sequence begins in the sums of dq

  template <class Shape, class T>
  static __device__ QueryWalk of(const BackwardProblem<T>& problem, int block, int per_head) {
    const KeyTile tile = key_tile_of<Shape::keys>(problem, block, per_head);
    const int j0 = tile.first, last = min(j0 + Shape::keys, tile.s.keys);
    const Keys seen_by = problem.visible(tile.s).queries_of(j0, last);
    if (j0 >= last || seen_by.first >= seen_by.last) return {tile, 0, 0, 0, 0, 0};
    const int begin = seen_by.first / Shape::queries * Shape::queries;
    const int tiles = (seen_by.last - begin + Shape::queries - 1) / Shape::queries;
    const int skipped = problem.causal ? 0 : j0 / Shape::queries % tiles;
    return {tile,
            begin,
            begin + tiles * Shape::queries,
            begin + skipped * Shape::queries,
            tiles * problem.group,
            0};
  }
  template <class Shape>
  __device__ __forceinline__ Turn after(Turn t) const {
    const int i0 = t.i0 + Shape::queries == end ? begin : t.i0 + Shape::queries;
    return {t.head + (i0 == start), i0};
  }
  template <class Shape>
  __device__ __forceinline__ Turn before(Turn t) const {
    return {t.head - (t.i0 == start), (t.i0 == begin ? end : t.i0) - Shape::queries};
  }
};

// Which tensors may be moved 16 bytes at a time.
struct BackwardVectors {
  bool q, k, v, d_o, dq, dk, dv;
};
inline BackwardVectors vectors_of(const Backward& a) {
  return {in_vectors(a.q),  in_vectors(a.k),  in_vectors(a.v), in_vectors(a.d_o),
          in_vectors(a.dq), in_vectors(a.dk), in_vectors(a.dv)};
}

// f(the smallest shape that has room for the heads)
template <class T, class F>
void with_shape(const Backward& args, F&& f) {
  const std::int64_t dim = args.q.shape[3], widest = std::max(dim, args.v.shape[3]);
  if (widest <= 32) return f(BackwardShape<T, 32, 32>{});
  if (widest <= 64) return f(BackwardShape<T, 64, 64>{});
  if (widest <= 96) return f(BackwardShape<T, 96, 96>{});
  if (widest <= 128) return f(BackwardShape<T, 128, 128>{});
  if (dim <= 192 && args.v.shape[3] <= 128) return f(BackwardShape<T, 192, 128>{});
  f(BackwardShape<T, 256, 256>{});
}

// lse times log2(e) and delta of every row. `vectors`: of o and d_o; a row is then read by half a warp, 16 bytes per lane.
template <class T>
__global__ void __launch_bounds__(delta_threads)
    rows_first(BackwardProblem<T> problem, std::int64_t rows, float2* row, bool vectors) {
  // A row without keys gets +inf, and with it p = 0.
  const auto put = [&](std::int64_t at, float lse, float delta) {
    row[at] = make_float2(lse == -INFINITY ? INFINITY : lse * log2_e, delta);
  };
  vectors ? delta_of_vectors(problem, rows, put) : delta_of_rows(problem, rows, put);
}

// Accumulators and fragments of one warp.
template <class T, class Shape>
struct BackwardWarp {
  static constexpr int I = Shape::row_tiles, J = Shape::warp_queries / 8;
  using Scores = float[I][J][4];         // keys x queries: s and dp transposed
  using Words = std::uint32_t[I][J][2];  // the same in 16 bits; as it is the a of the next product
  const BackwardProblem<T>& problem;
  float dk[I][Shape::dim / Shape::share / 8][4] = {};
  float dv[I][Shape::value_dim / Shape::share / 8][4] = {};

  static __device__ __forceinline__ int lane() { return threadIdx.x % 32; }
  static __device__ __forceinline__ int part() { return threadIdx.x / 32 % Shape::share; }
  static __device__ __forceinline__ int group() { return threadIdx.x / 32 / Shape::share; }
  static __device__ __forceinline__ int first_key() { return group() * Shape::warp_keys; }

  // Keys times queries from `query` on, over all their columns.
  template <class KeyTile, class QueryTile>
  static __device__ __forceinline__ void dots(Scores& sum, std::uint32_t of_keys,
                                              std::uint32_t of_queries, int query) {
    const auto a = KeyTile::reader_down(of_keys, first_key(), 0);
    const auto b = QueryTile::reader_along(of_queries, query, 0);
    multiply<T, KeyTile::pitch / 32>(
        sum,
        [&](auto& f, int step) {
#pragma unroll
          for (int i = 0; i < I; ++i) ptx::load_matrices(f[i], a.address(16 * i, step));
        },
        [&](auto& f, int j, int step) { ptx::load_matrices(f, b.address(16 * j, step)); });
  }

  // sum += words (keys x queries) times the rows of those queries.
  template <class QueryTile, int N>
  static __device__ __forceinline__ void add(float (&sum)[I][N][4], const Words& words,
                                             std::uint32_t of_queries, int query) {
    const auto b = QueryTile::reader_down(of_queries, query, part() * N * 8);
    multiply<T, J / 2>(
        sum,
        [&](auto& f, int step) {
#pragma unroll
          for (int i = 0; i < I; ++i)
#pragma unroll
            for (int w = 0; w < 4; ++w) f[i][w] = words[i][2 * step + w / 2][w % 2];
        },
        [&](auto& f, int j, int step) {
          ptx::load_matrices_transposed(f, b.address(16 * step, j));
        });
  }
  // The same with the words that the other warp of the pair left in shared memory.
  template <class QueryTile, int N>
  static __device__ __forceinline__ void add(float (&sum)[I][N][4], std::uint32_t pairs,
                                             std::uint32_t of_queries, int query) {
    const auto a = Shape::PairTile::reader_down(pairs, first_key(), query);
    const auto b = QueryTile::reader_down(of_queries, query, part() * N * 8);
    multiply<T, J / 2>(
        sum,
        [&](auto& f, int step) {
#pragma unroll
          for (int i = 0; i < I; ++i) ptx::load_matrices(f[i], a.address(16 * i, step));
        },
        [&](auto& f, int j, int step) {
          ptx::load_matrices_transposed(f, b.address(16 * step, j));
        });
  }

  static __device__ __forceinline__ void put(std::uint32_t pairs, const Words& words, int query) {
#pragma unroll
    for (int i = 0; i < I; ++i)
#pragma unroll
      for (int j = 0; j < J; ++j)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const int key = first_key() + 16 * i + 8 * h + lane() / 4;
          const std::uint32_t at = Shape::PairTile::place(pairs, key, query / 8 + j);
          *static_cast<std::uint32_t*>(__cvta_shared_to_generic(at + lane() % 4 * 4)) =
              words[i][j][h];
        }
  }

  // From s = q . k and dp = do . v to p and ds. `row` and i0 belong to the first of the queries; j0 is the block's first
  // key. `whole`: all queries of the tile see all keys.
  __device__ __forceinline__ void pairs(Words& p_words, Words& ds_words, Scores& s, Scores& dp,
                                        std::uint32_t row, bool whole, const Sequence& sequence,
                                        int head, int i0, int j0) const {
    const Visible visible = problem.visible(sequence);
    const auto is_seen = [&](int i, int j, int e) {
      const int key = j0 + first_key() + 16 * i + e / 2 * 8 + lane() / 4;
      const Keys seen = visible.of(i0 + 8 * j + lane() % 4 * 2 + e % 2);
      return seen.first <= key && key < seen.last;
    };
    const float by = problem.scale * log2_e, cap = problem.softcap;
    if (cap == 0 && !problem.dropout.on) {
      const auto simple = [&](auto masked) {
        each_pair(p_words, ds_words, row, [&](int i, int j, int e, float lse, float delta) {
          float p = ptx::exp2(s[i][j][e] * by - lse);
          if (masked.value && !is_seen(i, j, e)) p = 0;
          return Pair{p, p * (dp[i][j][e] - delta)};
        });
      };
      return whole ? simple(std::false_type{}) : simple(std::true_type{});
    }
    const unsigned kept = problem.dropout.on ? kept_pairs(sequence, head, i0, j0) : 0;
    const float to_cap = problem.scale / cap;
    each_pair(p_words, ds_words, row, [&](int i, int j, int e, float lse, float delta) {
      float x = s[i][j][e] * by, slope = 1, keep = 1;
      if (cap != 0) {
        const float t = capped(s[i][j][e] * to_cap);
        x = cap * log2_e * t;
        slope = 1 - t * t;
      }
      const float p = is_seen(i, j, e) ? ptx::exp2(x - lse) : 0.0f;
      if (problem.dropout.on)
        keep = kept >> (4 * (i * J + j) + e) & 1 ? problem.dropout.kept : 0.0f;
      return Pair{p * keep, p * (dp[i][j][e] * keep - delta) * slope};
    });
  }

  __device__ __forceinline__ void store(const Sequence& sequence, int j0, int kv_head,
                                        const BackwardVectors& vectors) const {
    store(problem.dk, dk, problem.dim, problem.scale, sequence, j0, kv_head, vectors.dk);
    store(problem.dv, dv, problem.value_dim, 1, sequence, j0, kv_head, vectors.dv);
  }

 private:
  template <int N>
  static __device__ __forceinline__ void store(const Rows<T>& to, const float (&sum)[I][N][4],
                                               int columns, float by, const Sequence& sequence,
                                               int j0, int kv_head, bool vectors) {
#pragma unroll
    for (int i = 0; i < 2 * I; ++i) {
      const int key = j0 + first_key() + 8 * i + lane() / 4;
      if (key >= sequence.keys) break;
      T* const row = to.at(sequence.batch, sequence.first_key + key, kv_head);
#pragma unroll
      for (int j = 0; j < N; ++j) {
        const int c = (part() * N + j) * 8 + lane() % 4 * 2;
        const float a = by * sum[i / 2][j][i % 2 * 2], b = by * sum[i / 2][j][i % 2 * 2 + 1];
        if (vectors) {
          if (c < columns) *reinterpret_cast<std::uint32_t*>(row + c) = pack<T>(a, b);
        } else {
          if (c < columns) row[c] = from_float<T>(a);
          if (c + 1 < columns) row[c + 1] = from_float<T>(b);
        }
      }
    }
  }

  // f(i, j, element of the accumulator, lse, delta)
  template <class F>
  static __device__ __forceinline__ void each_pair(Words& p_words, Words& ds_words,
                                                   std::uint32_t row, F&& f) {
#pragma unroll
    for (int j = 0; j < J; ++j) {
      // Columns 2t and 2t + 1 of eight.
      const float4 two =
          *static_cast<const float4*>(__cvta_shared_to_generic(row + (8 * j + lane() % 4 * 2) * 8));
#pragma unroll
      for (int i = 0; i < I; ++i)
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          const Pair a = f(i, j, 2 * h, two.x, two.y), b = f(i, j, 2 * h + 1, two.z, two.w);
          p_words[i][j][h] = pack<T>(a.p, b.p);
          ds_words[i][j][h] = pack<T>(a.ds, b.ds);
        }
    }
  }

  // Bit 4 (i J + j) + e: whether dropout keeps the pair of element e.
  __device__ __forceinline__ unsigned kept_pairs(const Sequence& sequence, int head, int i0,
                                                 int j0) const {
    const int key = j0 + first_key() + lane() / 16 * 4;
    const std::int64_t row = problem.row(sequence, head, i0 + lane() % 4 * 2);
    return kept_down<I * J>(problem.dropout, [&](int n, int e) {
      return problem.dropout.words(row + e % 2 + n % J * 8, (key + e / 2 * 8 + n / J * 16) / 4);
    });
  }
};

}  // namespace
}  // namespace warpath::attention
