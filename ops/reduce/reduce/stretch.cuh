// How one block reduces a stretch of memory: sixteen bytes per thread and load, several loads in
// flight.
#pragma once
#include "core/thread/vector.cuh"
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {

inline constexpr int threads = 512;
inline constexpr int blocks_an_sm =
    2048 / threads;               // as many as fit: a kernel may use 32 registers per thread
inline constexpr int unroll = 8;  // x 16 bytes x 512 threads: 64 KiB in flight per block

// Every thread gets the result of its own elements of x[0, n). The elements before the first
// 16-byte boundary and after the last one are taken one by one, so x may start anywhere.
template <class T, class Op>
__device__ __forceinline__ Accumulator<T> reduce_stretch(const T* x, std::int64_t n, Op op) {
  using A = Accumulator<T>;
  constexpr int E = lanes_of_16<T>;
  A total = Op::template identity<A>();

  const int past = int(reinterpret_cast<std::uintptr_t>(x) / sizeof(T) % E);
  const std::int64_t head = past == 0 ? 0 : (E - past < n ? E - past : n);
  if (threadIdx.x < head) total = op(total, widen(x[threadIdx.x]));
  x += head;
  n -= head;

  const std::int64_t vectors = n / E;
  std::int64_t v = threadIdx.x;
  for (; v + (unroll - 1) * threads < vectors; v += unroll * threads) {
    Vector<T, E> in[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) in[u] = load_once<E>(x + (v + u * threads) * E);
#pragma unroll
    for (int u = 0; u < unroll; ++u)
#pragma unroll
      for (int e = 0; e < E; ++e) total = op(total, widen(in[u].at[e]));
  }
  for (; v < vectors; v += threads) {
    const Vector<T, E> in = load_once<E>(x + v * E);
#pragma unroll
    for (int e = 0; e < E; ++e) total = op(total, widen(in.at[e]));
  }

  const std::int64_t tail = vectors * E + threadIdx.x;
  if (tail < n) total = op(total, widen(x[tail]));
  return total;
}

// Blocks per row, enough to fill the GPU but none with less than one round of loads, and elements
// per block.
struct Split {
  std::int64_t blocks_a_row, elements_a_block;
};
template <class T>
Split split_rows(std::int64_t rows, std::int64_t cols, unsigned resident_blocks) {
  constexpr std::int64_t round = std::int64_t(threads) * unroll * lanes_of_16<T>;
  const std::int64_t wanted = std::max<std::int64_t>(1, resident_blocks / rows);
  const std::int64_t rounds_a_block = ceil_div(std::max<std::int64_t>(cols, 1), wanted * round);
  const std::int64_t elements = rounds_a_block * round;
  return {std::max<std::int64_t>(1, ceil_div(cols, elements)), elements};
}

}  // namespace warpath::reduce
