// The sum of squares of one chunk, for rungs that read many tensors in one launch.
#pragma once
#include "core/thread/vector.cuh"
#include "ops/optimizer/chunks.cuh"
#include "ops/optimizer/grad_norm/finish.cuh"

namespace warpath::grad_norm {

inline constexpr int most = 160, threads = 256, chunk = 8192;  // elements
using Table = optimizer::ChunkTable<1, most>;

// Eight loads of 16 bytes per thread in flight for f32, four for 16-bit types. A chunk that is not full, or that does not start
// at a multiple of 16 bytes, is read element by element.
template <class T>
__device__ __forceinline__ float thread_sum(const Table& table) {
  constexpr int N = lanes_of_16<T>, loads = chunk / (threads * N);
  const int t = table.tensor_of(blockIdx.x);
  const std::int64_t first = std::int64_t(blockIdx.x - table.first[t]) * chunk;
  const std::int64_t n = min(table.size[t] - first, std::int64_t(chunk));
  const T* const g = static_cast<const T*>(table.at[0][t]) + first;
  float sum = 0;
  if (n == chunk && reinterpret_cast<std::uintptr_t>(g) % 16 == 0) {
    Vector<T, N> v[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) v[k] = load_once<N>(g + (k * threads + threadIdx.x) * N);
#pragma unroll
    for (int k = 0; k < loads; ++k)
#pragma unroll
      for (int i = 0; i < N; ++i) sum += to_float(v[k].at[i]) * to_float(v[k].at[i]);
  } else {
#pragma unroll 4
    for (std::int64_t i = threadIdx.x; i < n; i += threads) sum += to_float(g[i]) * to_float(g[i]);
  }
  return sum;
}

}  // namespace warpath::grad_norm
