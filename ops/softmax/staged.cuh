// One block's part of a row, fetched asynchronously into shared memory; some of it may be kept in
// registers instead, where shared memory alone would leave too few blocks on an SM. A thread reads
// back only what it fetched itself, so the data needs no barrier.
#pragma once
#include <cuda_pipeline.h>

#include "core/cluster/cluster.cuh"
#include "core/host/launch.h"
#include "ops/softmax/cut.cuh"

namespace warpath::softmax {

// Every thread keeps `Kept` vectors of N elements and its element of the edges; the others are in
// the stage.
template <class T, int N, int Kept, int Threads, bool Whole = N == 1>
struct StagedPart {
  using V = Vector<T, N>;
  V kept[Kept > 0 ? Kept : 1];
  Vector<T, 1> edge;
  V* stage;
  Cut<N, Whole> cut;

  static constexpr int kept_bytes = Kept * Threads * int(sizeof(V));

  __device__ __forceinline__ StagedPart(const T* x, std::int64_t cols, void* shared)
      : stage(static_cast<V*>(shared)), cut(x, cols) {
#pragma unroll 4
    for (int v = Kept * Threads + threadIdx.x; v < cut.vectors; v += Threads) {
      if constexpr (sizeof(V) >= 4)
        __pipeline_memcpy_async(&stage[v - Kept * Threads], x + cut.column(v), sizeof(V));
      else
        stage[v - Kept * Threads] = load<N>(x + cut.column(v));  // too small for such a copy
    }
    __pipeline_commit();
#pragma unroll
    for (int i = 0; i < Kept; ++i)
      if (const int v = i * Threads + threadIdx.x; v < cut.vectors)
        kept[i] = load<N>(x + cut.column(v));
    if (const int e = cut.edge(threadIdx.x); e >= 0) edge.at[0] = x[e];
  }

  // Vector number i; number -1 is the element of the edges.
  template <int M>
  __device__ __forceinline__ Vector<T, M> staged(int i) const {
    static_assert(Kept == 0, "all vectors are in the stage");
    if constexpr (M == N)
      return stage[i];
    else
      return edge;
  }

  // f(vector, its first column, its number) for all vectors of this thread, whose number is -1 for
  // the vector of one element that the edges may add. By value: one 16-byte read of the stage each.
  template <class F>
  __device__ __forceinline__ void for_each(F f) const {
    if (const int e = cut.edge(threadIdx.x); e >= 0) f(edge, e, -1);
#pragma unroll
    for (int i = 0; i < Kept; ++i)
      if (const int v = i * Threads + threadIdx.x; v < cut.vectors) f(kept[i], cut.column(v), v);
#pragma unroll 4
    for (int v = Kept * Threads + threadIdx.x; v < cut.vectors; v += Threads) {
      const V staged = stage[v - Kept * Threads];
      f(staged, cut.column(v), v);
    }
  }
};

// How a row is shared out among the blocks of a cluster: `bytes` is the size of the row, all inputs
// together.
struct StagedSplit {
  unsigned cluster;
  std::int64_t block_cols;  // of every block except the last; whole vectors
};
inline StagedSplit split_staged(std::int64_t cols, std::int64_t bytes, std::int64_t bytes_a_block,
                                int width) {
  unsigned cluster = 1;
  while (cluster * bytes_a_block < bytes) cluster *= 2;
  return {cluster, ceil_div(ceil_div(cols, cluster), width) * width};
}

inline constexpr int largest_cluster = 16;  // over 8 a kernel must opt in; Hopper allows 16

template <class T>
__host__ __device__ std::int64_t stage_bytes(std::int64_t cols) {
  return (cols * std::int64_t(sizeof(T)) + 15) / 16 * 16;
}

}  // namespace warpath::softmax
