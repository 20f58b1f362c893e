// The kernel of the rungs that move 16 bytes per access, forward and backward: a block turns some
// rows (a row: one head of one token), with the angles of their tokens in shared memory.
#pragma once
#include "core/thread/divisor.cuh"
#include "ops/attention/rope/call.cuh"
#include "ops/attention/turn_vectors.cuh"
#include "ops/attention/turns.cuh"

namespace warpath::rope {
namespace {

constexpr int vector_threads = 256;
constexpr int rows_per_thread = 3;  // four need more registers than three blocks per SM leave
constexpr int shared_bytes = 48 * 1024;

// A row is cut into units of two vectors of N elements: N pairs, or what passes unchanged.
struct Tiling {
  int units, turned;  // units of a row; those of them that turn
  int rows_at_once;   // of a block: threads / units
  int rows;           // of a block in all
  int tokens;         // at most so many meet in a block
  int all_rows;       // of the call
  Divisor by_heads, by_pairs, by_units, by_sequence;

  static Tiling of(const Sizes& s, int n) {
    Tiling t{};
    t.turned = s.pairs / n;
    t.units = t.turned + ceil_div(s.dim - 2 * s.pairs, 2 * n);
    t.rows_at_once = vector_threads / t.units;
    const int pairs = std::max(s.pairs, 1), heads = s.all_heads();
    const int most_tokens = shared_bytes / int(2 * sizeof(float) * pairs) - 1;
    t.rows = int(std::min<std::int64_t>(rows_per_thread * t.rows_at_once,
                                        std::int64_t(most_tokens - 1) * heads));
    t.tokens = (t.rows + heads - 2) / heads + 1;
    t.all_rows = int(s.tokens * heads);
    t.by_heads = Divisor::of(heads);
    t.by_pairs = Divisor::of(pairs);
    t.by_units = Divisor::of(t.units);
    t.by_sequence = Divisor::of(int(s.sequence));
    return t;
  }
  // The frequencies, and a cosine and a sine per token and pair.
  std::size_t shared(int pairs) const {
    return (sizeof(double) + sizeof(float) * 2 * tokens) * pairs;
  }
};

// The two vectors of a unit; the second may lie past the row's end where elements pass unchanged.
template <int N>
__device__ __forceinline__ int first_vector(const Sizes& s, const Tiling& t, int unit) {
  if (unit >= t.turned) return 2 * s.pairs + (unit - t.turned) * 2 * N;
  return s.neighbours ? 2 * N * unit : N * unit;
}
template <int N>
__device__ __forceinline__ int second_vector(const Sizes& s, const Tiling& t, int unit) {
  return first_vector<N>(s, t, unit) + (unit >= t.turned || s.neighbours ? N : s.pairs);
}

template <class T, int N>
__global__ void __launch_bounds__(vector_threads, 3)
    vectorised(const Data<T> data, const Sizes sizes, const Tiling tiling,
               const __grid_constant__ Table table, float sign) {
  extern __shared__ __align__(16) double frequencies[];                 // (pairs)
  float* angles = reinterpret_cast<float*>(frequencies + sizes.pairs);  // (tokens, 2, pairs)
  const int first_row = int(blockIdx.x) * tiling.rows;
  const int rows = min(tiling.rows, tiling.all_rows - first_row);
  // Tokens are counted from the block's first, which may begin in the middle: `skipped` heads of it
  // belong to the block before.
  const int first_token = tiling.by_heads.quotient(first_row);
  const int skipped = first_row - first_token * sizes.all_heads();
  const int in_step = tiling.by_units.quotient(threadIdx.x);
  const int unit = int(threadIdx.x) - in_step * tiling.units;
  const int at_a = first_vector<N>(sizes, tiling, unit);
  const int at_b = second_vector<N>(sizes, tiling, unit);

  // All loads first: the angles are computed while they are in flight.
  Whole<T, N> a[rows_per_thread], b[rows_per_thread];
  const auto row_of = [&](int m) { return m * tiling.rows_at_once + in_step; };
  const auto is_mine = [&](int m) { return in_step < tiling.rows_at_once && row_of(m) < rows; };
  const auto token_of = [&](int m) { return tiling.by_heads.quotient(skipped + row_of(m)); };
  const auto head_of = [&](int m) {
    const int token = token_of(m);
    return Head<T>(data, sizes, first_token + token,
                   skipped + row_of(m) - token * sizes.all_heads());
  };
#pragma unroll
  for (int m = 0; m < rows_per_thread; ++m) {
    const T* in = head_of(m).in;
    a[m] = load_whole<N>(in + at_a, is_mine(m));
    b[m] = load_whole<N>(in + at_b, is_mine(m) && at_b < sizes.dim);
  }

  // A warp that reads 32 different constants is served one after the other: once per block will do.
#pragma unroll 1
  for (int p = threadIdx.x; p < sizes.pairs; p += vector_threads) frequencies[p] = table.turns[p];
  __syncthreads();
  const int tokens = tiling.by_heads.quotient(skipped + rows - 1) + 1;
#pragma unroll 1
  for (int e = threadIdx.x; e < tokens * sizes.pairs; e += vector_threads) {
    const int token = tiling.by_pairs.quotient(e), pair = e - token * sizes.pairs;
    const int at = first_token + token;
    const std::int64_t position = data.positions
                                      ? data.positions[at]
                                      : at - tiling.by_sequence.quotient(at) * int(sizes.sequence);
    const Turn t = turn_at(position, frequencies[pair]);
    angles[2 * token * sizes.pairs + pair] = t.c;
    angles[(2 * token + 1) * sizes.pairs + pair] = sign * t.s;
  }
  __syncthreads();

#pragma unroll
  for (int m = 0; m < rows_per_thread; ++m) {
    if (!is_mine(m)) continue;
    const float* cosines = angles + 2 * token_of(m) * sizes.pairs + unit * N;
    if (unit < tiling.turned) {
      if (sizes.neighbours)
        turn_vectors<T, N, true>(a[m], b[m], cosines, cosines + sizes.pairs);
      else
        turn_vectors<T, N, false>(a[m], b[m], cosines, cosines + sizes.pairs);
    }
    T* out = head_of(m).out;
    *reinterpret_cast<Whole<T, N>*>(out + at_a) = a[m];
    if (at_b < sizes.dim) *reinterpret_cast<Whole<T, N>*>(out + at_b) = b[m];
  }
}

// Whether every vector of a row starts at a multiple of its size.
template <class T>
bool takes_vectors(const Call& call) {
  constexpr int N = lanes_of_16<T>;
  return call.sizes.dim % N == 0 && call.sizes.pairs % N == 0 && call.q.is_aligned(16) &&
         call.k.is_aligned(16) && call.q_out.is_aligned(16) && call.k_out.is_aligned(16);
}

inline std::string vector_fits(const Call& call) {
  if (call.sizes.dim > 2 * vector_threads) return "it takes heads of up to 512 elements";
  if (call.sizes.tokens * call.sizes.all_heads() > 2000000000) return "it takes up to 2e9 heads";
  return few_pairs(call.sizes.pairs);
}

inline void launch_vectorised(const Call& call, cudaStream_t stream) {
  const Sizes& sizes = call.sizes;
  if (sizes.tokens * sizes.all_heads() * sizes.dim == 0) return;
  const Table table = table_of(call.scaling, sizes.pairs);
  dispatch_float(call.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto run = [&](auto width) {
      constexpr int N = decltype(width)::value;
      const Tiling t = Tiling::of(sizes, N);
      const std::size_t bytes = t.shared(sizes.pairs);
      vectorised<T, N><<<grid_x(t.all_rows, t.rows), vector_threads, bytes, stream>>>(
          call.data<T>(), sizes, t, table, call.sign);
    };
    if (takes_vectors<T>(call))
      run(std::integral_constant<int, lanes_of_16<T>>{});
    else
      run(std::integral_constant<int, 1>{});
  });
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace
}  // namespace warpath::rope
