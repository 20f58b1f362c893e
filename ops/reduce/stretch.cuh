// How a block or some warps walk along a stretch of a row: sixteen bytes per thread and load, several
// loads in flight.
//
// What is read, and how it joins the running result, is a source's affair:
//   using A, Chunk;                          the running result; what one load brings
//   static constexpr int per_load;           elements of a Chunk
//   A identity() const;
//   int past() const;                        elements that it starts past a 16-byte boundary; -1: there is none to reach
//   Chunk load(std::int64_t i) const;        elements i to i + per_load; i is at a boundary
//   A join(A total, const Chunk& in, std::int64_t i) const;
//   A join_one(A total, std::int64_t i) const;
#pragma once
#include "core/thread/vector.cuh"
#include "ops/reduce/accumulate.cuh"

namespace warpath::reduce {

inline constexpr int threads = 512;
inline constexpr int blocks_an_sm =
    2048 / threads;               // as many as fit: a kernel may use 32 registers per thread
inline constexpr int unroll = 8;  // x 16 bytes x 512 threads: 64 KiB in flight per block

// Before it is joined, an element stays as it is.
struct Same {
  template <class A>
  __device__ __forceinline__ A operator()(A x) const {
    return x;
  }
};

// The source of a reduction of one tensor: its elements, after `map`.
template <class T, class Op, class Map = Same>
struct Elements {
  using A = Accumulator<T>;
  static constexpr int per_load = lanes_of_16<T>;
  using Chunk = Vector<T, per_load>;
  const T* x;
  Op op;
  Map map = {};

  __device__ __forceinline__ A identity() const { return Op::template identity<A>(); }
  __device__ __forceinline__ int past() const {
    return int(reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % per_load);
  }
  __device__ __forceinline__ Chunk load(std::int64_t i) const { return load_once<per_load>(x + i); }
  __device__ __forceinline__ A join(A total, const Chunk& in, std::int64_t) const {
#pragma unroll
    for (int e = 0; e < per_load; ++e) total = op(total, map(widen(in.at[e])));
    return total;
  }
  __device__ __forceinline__ A join_one(A total, std::int64_t i) const {
    return op(total, map(widen(x[i])));
  }
};

// Every thread gets the result of its own elements of the first n. Those before the first 16-byte
// boundary and after the last one are taken one by one, so a stretch may start anywhere.
template <int Threads = threads, int Unroll = unroll, class Source>
__device__ __forceinline__ typename Source::A reduce_stretch(const Source& source, std::int64_t n) {
  constexpr int E = Source::per_load;
  typename Source::A total = source.identity();

  const int past = source.past();
  if (past < 0) {
#pragma unroll 4
    for (std::int64_t i = threadIdx.x; i < n; i += Threads) total = source.join_one(total, i);
    return total;
  }
  const std::int64_t head = past == 0 ? 0 : (E - past < n ? E - past : n);
  if (threadIdx.x < head) total = source.join_one(total, threadIdx.x);

  const std::int64_t vectors = (n - head) / E;
  std::int64_t v = threadIdx.x;
#pragma unroll 1  // its loads are what the registers are for
  for (; v + (Unroll - 1) * Threads < vectors; v += Unroll * Threads) {
    typename Source::Chunk in[Unroll];
#pragma unroll
    for (int u = 0; u < Unroll; ++u) in[u] = source.load(head + (v + u * Threads) * E);
#pragma unroll
    for (int u = 0; u < Unroll; ++u)
      total = source.join(total, in[u], head + (v + u * Threads) * E);
  }
  for (; v < vectors; v += Threads)
    total = source.join(total, source.load(head + v * E), head + v * E);

  const std::int64_t tail = head + vectors * E + threadIdx.x;
  if (tail < n) total = source.join_one(total, tail);
  return total;
}

inline constexpr int block_warps = 8;  // of the kernels in which some warps reduce a row

// Among the Warps warps that reduce a row, each thread with its own share of it. All threads of the block call this.
template <int Warps, class A, class Op>
__device__ __forceinline__ A join_warps(A total, Op op, A (&slots)[block_warps]) {
  total = warp_reduce(total, op);
  if constexpr (Warps > 1) {
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) slots[warp] = total;
    __syncthreads();
    total = warp_reduce<Warps>(slots[warp / Warps * Warps + threadIdx.x % Warps], op);
  }
  return total;
}

// The share of thread `thread` of `step` in a row of n elements, with Loads loads in flight. `aligned`: the row starts at
// a 16-byte boundary and has whole vectors only.
template <int Step, int Loads, class Source>
__device__ __forceinline__ typename Source::A reduce_share(const Source& source, std::int64_t n,
                                                           int thread, bool aligned) {
  constexpr int E = Source::per_load;
  typename Source::A total = source.identity();
  if (aligned) {
    for (std::int64_t i = thread * E; i < n; i += Loads * Step * E) {
      typename Source::Chunk in[Loads];
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if (i + u * Step * E < n) in[u] = source.load(i + u * Step * E);
#pragma unroll
      for (int u = 0; u < Loads; ++u)
        if (i + u * Step * E < n) total = source.join(total, in[u], i + u * Step * E);
    }
  } else {
#pragma unroll 4
    for (std::int64_t i = thread; i < n; i += Step) total = source.join_one(total, i);
  }
  return total;
}

}  // namespace warpath::reduce
