// Rows that start anywhere, 16 bytes per access: what the forward and the backward kernel share.
//
// Rows of 3073 elements start at every distance from a 16-byte boundary in turn. Cut at the boundaries
// (core/thread/cut.cuh), x and y are whole vectors, but every row is cut elsewhere: its weights would have to be
// read one by one, and a thread's columns, whose sums it keeps, would change from row to row. Therefore
// rows are dealt out by alignment: 8 rows of 16-bit elements further on (4 of f32), a row starts at the same
// distance again. A group of threads walks in steps of a multiple of that, so that all its rows are cut
// alike: a thread has the same columns in each, and their weights and sums stay in registers.
#pragma once
#include <cuda_pipeline.h>

#include <numeric>
#include <string>

#include "core/host/device.cuh"
#include "core/host/tensor.h"
#include "core/ptx/compute_here.cuh"
#include "core/ptx/roles.cuh"
#include "core/thread/cut.cuh"
#include "ops/norm/row.cuh"

namespace warpath::norm {

inline constexpr int walk_vectors = 4;  // per thread and tensor

// `threads` threads of the block, whole warps, that share a row at a time.
struct RowGroup {
  int threads, index, thread;

  __device__ __forceinline__ explicit RowGroup(int size)
      : threads(size), index(threadIdx.x / size), thread(threadIdx.x % size) {}

  __device__ __forceinline__ int count() const { return blockDim.x / threads; }
  __device__ __forceinline__ void sync() const {
    if (threads == 32)
      __syncwarp();
    else
      ptx::sync_some(1 + index, threads);
  }

  // K sums over the group; every thread gets them. With two sets of slots in turn, one barrier per call.
  template <int K>
  __device__ __forceinline__ void sums(float (&v)[K], RowSlots (&slots)[K]) const {
#pragma unroll
    for (int k = 0; k < K; ++k) v[k] = warp_reduce(v[k], Sum{});
    if (threads == 32) return;
    const int warps = threads / 32, lane = threadIdx.x % 32;
    if (lane == 0)
#pragma unroll
      for (int k = 0; k < K; ++k) slots[k][threadIdx.x / 32] = v[k];
    sync();
#pragma unroll
    for (int k = 0; k < K; ++k)
      v[k] = warp_reduce(lane < warps ? slots[k][index * warps + lane] : 0.0f, Sum{});
  }
};

// The vectors of a few rows in shared memory, each fetched by the thread that will read it: no barrier.
// The edges of a row, one element per thread, are no business of the ring.
template <class T, int Tensors, int Stages>
struct RowRing {
  static constexpr int N = lanes_of_16<T>, V = walk_vectors;
  using Piece = Vector<T, N>;

  Piece* own;  // [stage][tensor][vector][thread of the block], from this thread's place on
  const RowGroup& group;
  const Cut<N>& cut;

  static std::size_t bytes(int block) {
    return sizeof(Piece) * Stages * Tensors * V * static_cast<std::size_t>(block);
  }

  __device__ __forceinline__ RowRing(void* shared, const RowGroup& g, const Cut<N>& c)
      : own(static_cast<Piece*>(shared) + threadIdx.x), group(g), cut(c) {}

  __device__ __forceinline__ int vector(int v) const { return v * group.threads + group.thread; }
  __device__ __forceinline__ bool has(int v) const { return vector(v) < cut.vectors; }
  __device__ __forceinline__ int column(int v) const { return cut.column(vector(v)); }

  // Stages in turn, each a pointer that is moved on: cheaper than an index in every access.
  __device__ __forceinline__ Piece* stage(int s) const {
    return own + s * (Tensors * V * int(blockDim.x));
  }
  __device__ __forceinline__ Piece* after(Piece* stage) const {
    return stage == this->stage(Stages - 1) ? own : stage + Tensors * V * int(blockDim.x);
  }
  static __device__ __forceinline__ Piece& at(Piece* stage, int tensor, int v) {
    return stage[(tensor * V + v) * int(blockDim.x)];
  }

  __device__ __forceinline__ void fetch(Piece* stage, int tensor, const T* row) const {
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (has(v)) __pipeline_memcpy_async(&at(stage, tensor, v), row + column(v), sizeof(Piece));
  }

  // This thread's columns of a weight, which need not start where rows do: element by element, neighbours
  // reading neighbours, through a stage that nothing is being fetched into. Without a weight it is `otherwise`.
  __device__ __forceinline__ void columns_of(const T* weight, float otherwise, Piece* stage,
                                             Piece (&out)[V]) const {
    if (!weight) {
#pragma unroll
      for (int i = 0; i < V * N; ++i) out[i / N].at[i % N] = from_float<T>(otherwise);
      return;
    }
    const int chunk = group.threads * N;  // columns per vector of the whole group
    for (int v = 0; v < V; ++v)
      for (int e = group.thread; e < chunk && v * chunk + e < cut.vectors * N; e += group.threads)
        (&at(stage, 0, v) - group.thread)[e / N].at[e % N] = weight[cut.head + v * chunk + e];
    group.sync();
#pragma unroll
    for (int v = 0; v < V; ++v)
      if (has(v)) out[v] = at(stage, 0, v);
    group.sync();
  }
  // Of 16-bit weights, floats would take twice the registers.
  static __device__ __forceinline__ void floats_of(Piece& kept, float (&out)[N]) {
    if constexpr (sizeof(T) == 2) ptx::convert_again(reinterpret_cast<uint4&>(kept));
    to_floats(kept, out);
  }
};

// One element of a row's edges, and where it is; none in most threads.
template <class T>
struct RowEdge {
  int column;  // -1: none

  __device__ __forceinline__ bool there() const { return column >= 0; }
  // As it is in memory: converted here, it would have to have arrived here.
  __device__ __forceinline__ T of(const T* row) const { return there() ? row[column] : T{}; }
  __device__ __forceinline__ float weight(const T* weight, float otherwise) const {
    return there() && weight ? to_float(weight[column]) : otherwise;
  }
};

// How many of the blocks that fit are launched, of `groups` groups each: the walk's step must be a multiple of the rows
// after which a row starts at the same distance from a boundary again.
inline unsigned walking_blocks_of(std::int64_t rows, std::int64_t cols, int lanes, unsigned groups,
                                  unsigned fit) {
  const std::int64_t enough = ceil_div(rows, groups);
  if (enough <= fit) return static_cast<unsigned>(enough);  // one row per group
  const auto period = static_cast<unsigned>(lanes / std::gcd(cols, std::int64_t(lanes)));
  const unsigned multiple = period / std::gcd(period, groups);
  return std::max(fit / multiple, 1u) * multiple;
}

// How a call is launched. `most`: threads per block, and per SM.
struct WalkPlan {
  int threads;  // per row
  unsigned groups, blocks;

  WalkPlan(std::int64_t rows, std::int64_t cols, int lanes, int most) {
    const std::int64_t vectors = ceil_div(cols / lanes, walk_vectors);
    threads = static_cast<int>(std::max<std::int64_t>(ceil_div(vectors, 32), 1) * 32);
    groups = 1;
    while (groups * 2 * threads <= unsigned(most) && (threads == 32 || groups < 8)) groups *= 2;
    const unsigned fit = multiprocessors() * std::max(1u, most / (groups * threads));
    blocks = walking_blocks_of(rows, cols, lanes, groups, fit);
  }
  int block() const { return threads * static_cast<int>(groups); }
};

// True when rows do not all start at a 16-byte boundary.
inline bool cut_rows(const Tensor& x) {
  return x.shape[1] * std::int64_t(size_of(x.dtype)) % 16 != 0 || !all_aligned(16, x.as<char>());
}

// Empty, or why the kernels cannot take the call. `most`, `tensors`, `stages`: of the kernel.
template <class... P>
std::string unaligned_takes(DType dtype, std::int64_t rows, std::int64_t cols, int most,
                            int tensors, int stages, const P*... p) {
  const std::int64_t lanes = 16 / std::int64_t(size_of(dtype));
  if (cols / lanes > std::int64_t(most) * walk_vectors)
    return "takes rows of at most " + std::to_string(most * walk_vectors * 16 / 1024) + " KiB";
  if (rows >= std::int64_t(1) << 30) return "takes fewer than 2^30 rows";
  if (!cut_alike(p...)) return "wants tensors at the same distance from a 16-byte boundary";
  return enough_shared_memory(std::size_t(16) * walk_vectors * most * tensors * stages);
}

}  // namespace warpath::norm
