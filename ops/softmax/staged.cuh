// One block's part of a row, fetched asynchronously into shared memory; some of it may be kept
// in registers instead, where shared memory alone would leave too few blocks on an SM. A thread
// reads back what it fetched itself, so the data needs no barrier.
#pragma once
#include <cuda_pipeline.h>

#include "core/cluster.cuh"
#include "row.cuh"

namespace warpath::softmax {

// Every thread keeps `Kept` vectors of N elements; the others are in the stage.
template <class T, int N, int Kept, int Threads>
struct StagedPart {
  using V = Vector<T, N>;
  V kept[Kept > 0 ? Kept : 1];
  V* stage;
  int vectors;  // of the whole part

  static constexpr int kept_bytes = Kept * Threads * int(sizeof(V));

  __device__ __forceinline__ void start(const T* x, int cols, void* shared) {
    stage = static_cast<V*>(shared);
    vectors = cols / N;
#pragma unroll 4
    for (int v = Kept * Threads + threadIdx.x; v < vectors; v += Threads) {
      if constexpr (sizeof(V) >= 4)
        __pipeline_memcpy_async(&stage[v - Kept * Threads], x + v * N, sizeof(V));
      else
        stage[v - Kept * Threads] = load<N>(x + v * N);  // too small for an asynchronous copy
    }
    __pipeline_commit();
#pragma unroll
    for (int i = 0; i < Kept; ++i)
      if (const int v = i * Threads + threadIdx.x; v < vectors) kept[i] = load<N>(x + v * N);
  }

  // f(vector, its number) for all vectors of this thread. By value: one 16-byte read of the stage each.
  template <class F>
  __device__ __forceinline__ void for_each(F f) const {
#pragma unroll
    for (int i = 0; i < Kept; ++i)
      if (const int v = i * Threads + threadIdx.x; v < vectors) f(kept[i], v);
#pragma unroll 4
    for (int v = Kept * Threads + threadIdx.x; v < vectors; v += Threads) {
      const V staged = stage[v - Kept * Threads];
      f(staged, v);
    }
  }
};

// How a row is shared out among the blocks of a cluster: `bytes` is what the row takes, all inputs
// together.
struct StagedSplit {
  unsigned cluster;
  std::int64_t block_cols;  // of every block but the last; whole vectors
};
inline StagedSplit split_staged(std::int64_t cols, std::int64_t bytes, std::int64_t bytes_a_block,
                                int width) {
  unsigned cluster = 1;
  while (cluster * bytes_a_block < bytes) cluster *= 2;
  return {cluster, ceil_div(ceil_div(cols, cluster), width) * width};
}

inline constexpr std::int64_t small_part = 64 * 1024;   // three such blocks fit an SM
inline constexpr std::int64_t large_part = 128 * 1024;  // two, with a part of it in registers
inline constexpr std::int64_t longest_row_kernel = 16 * 1024;  // up to here a block's registers do

template <class T>
__host__ __device__ std::int64_t stage_bytes(std::int64_t cols) {
  return (cols * std::int64_t(sizeof(T)) + 15) / 16 * 16;
}

}  // namespace warpath::softmax
