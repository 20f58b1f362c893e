// A row held in registers, shared by the threads of a block along x; a block takes several rows along
// y. The number of threads is chosen at run time, so that one kernel serves short rows and long ones.
#pragma once
#include <type_traits>

#include "core/host/launch.h"
#include "core/warp/reduce.cuh"
#include "ops/norm/floats.cuh"

namespace warpath::norm {

inline constexpr int most_threads = 1024;

// A row of N-element vectors, `Items` of them per thread.
template <class T, int N, int Items>
struct Row {
  Vector<T, N> at[Items];

  static constexpr int longest = N * Items * most_threads;  // what one block holds

  static __device__ __forceinline__ int column(int item) {
    return (item * int(blockDim.x) + int(threadIdx.x)) * N;
  }
  // How many elements one pass of the block over a long row takes.
  static __device__ __forceinline__ int size() { return N * Items * int(blockDim.x); }

  // cols is a multiple of N: a vector is inside or outside, never across the end.
  __device__ __forceinline__ void load(const T* x, int cols) {
#pragma unroll
    for (int i = 0; i < Items; ++i) at[i] = load_kept<N>(x + column(i), column(i) < cols);
  }

  // f(its elements as floats, its first column) for each vector of this thread.
  template <class F>
  __device__ __forceinline__ void for_each(int cols, F f) const {
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      if (column(i) >= cols) continue;
      float v[N];
      to_floats(at[i], v);
      f(v, column(i));
    }
  }
};

// f(elements of a, elements of b, item, column) for each vector of this thread.
template <class T, int N, int Items, class F>
__device__ __forceinline__ void for_each_pair(const Row<T, N, Items>& a, const Row<T, N, Items>& b,
                                              int cols, F f) {
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (a.column(i) >= cols) continue;
    float v[N], w[N];
    to_floats(a.at[i], v);
    to_floats(b.at[i], w);
    f(v, w, i, a.column(i));
  }
}

// One place per warp of a block. A row has its warps side by side.
using RowSlots = float[most_threads / 32];

// Adds up K values over all threads of each row; every thread gets the sums. One barrier for the
// whole block, which no row may skip; none where a row is one warp. Slots may be written again after
// the next barrier.
template <int K>
__device__ __forceinline__ void row_sums(float (&v)[K], RowSlots (&slots)[K]) {
#pragma unroll
  for (int k = 0; k < K; ++k) v[k] = warp_reduce(v[k], Sum{});
  const int warps = blockDim.x / 32;
  if (warps == 1) return;
  const int first = threadIdx.y * warps, lane = threadIdx.x % 32;
  if (lane == 0)
#pragma unroll
    for (int k = 0; k < K; ++k) slots[k][first + threadIdx.x / 32] = v[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < K; ++k)
    v[k] = warp_reduce(lane < warps ? slots[k][first + lane] : 0.0f, Sum{});
}
__device__ __forceinline__ float row_sum(float v, RowSlots& slots) {
  float one[1] = {v};
  row_sums<1>(one, reinterpret_cast<RowSlots(&)[1]>(slots));
  return one[0];
}

// Threads along a row of `cols` elements with `each` elements per thread, and rows per block: whole
// warps, and at least `least` threads per block.
inline dim3 row_block(std::int64_t cols, int each, int least) {
  const auto along = static_cast<unsigned>(
      std::clamp<std::int64_t>(ceil_div(ceil_div(cols, each), 32) * 32, 32, most_threads));
  return dim3(along, std::max(1u, least / along));
}

// Calls f(width): 16-byte vectors if every row starts at a 16-byte boundary and is a whole number of
// vectors long, otherwise single elements. A null pointer counts as aligned.
//
// Single elements are not as bad as they look: the row still stays in registers with many loads in
// flight. Vectors that start before the row and end after it would fit x and y, but not the weights,
// which start at another alignment in every row and cost as many loads as are saved (unaligned.cuh has a way out).
template <class T, class F, class... P>
void with_width(std::int64_t cols, F f, const P*... p) {
  if (cols % lanes_of_16<T> == 0 && all_aligned(16, p...))
    f(std::integral_constant<int, lanes_of_16<T>>{});
  else
    f(std::integral_constant<int, 1>{});
}

}  // namespace warpath::norm
