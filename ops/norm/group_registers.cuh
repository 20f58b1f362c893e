// A group in the registers of the threads that share it, wherever it starts: forward and backward.
//
// For groups that are one run of memory (outer == 1). The run is cut at the 16-byte boundaries
// (core/thread/cut.cuh): whole vectors, and fewer than two vectors of single elements at its ends, one per
// thread. Unlike a row of layer norm, a group has a few weights for thousands of elements, so that cutting
// each group elsewhere costs nothing.
#pragma once
#include <string>

#include "core/host/tensor.h"
#include "core/thread/cut.cuh"
#include "core/thread/divisor.cuh"
#include "ops/norm/group_problem.cuh"
#include "ops/norm/row.cuh"

namespace warpath::norm {

inline constexpr int group_vectors = 4;  // per thread and tensor
// Runs are numbered as ints, also those that the last block has room for and that are not there.
inline constexpr std::int64_t most_runs = (std::int64_t(1) << 31) - 4;

template <class T>
struct GroupPart {
  static constexpr int N = lanes_of_16<T>;
  Vector<T, N> at[group_vectors];
  T edge;

  static __device__ __forceinline__ int vector(int i) {
    return i * int(blockDim.x) + int(threadIdx.x);
  }
  __device__ __forceinline__ void load(const T* x, const Cut<N>& cut) {
#pragma unroll
    for (int i = 0; i < group_vectors; ++i)
      at[i] = load_kept<N>(x + cut.column(vector(i)), vector(i) < cut.vectors);
    const int e = cut.edge(threadIdx.x);
    edge = e < 0 ? T{} : x[e];
  }
};

// f(elements as floats, column of the first) for each vector of this thread, and for its edge.
template <class T, class F>
__device__ __forceinline__ void for_each(const GroupPart<T>& part, const Cut<lanes_of_16<T>>& cut,
                                         F f) {
  constexpr int N = lanes_of_16<T>;
#pragma unroll
  for (int i = 0; i < group_vectors; ++i) {
    if (part.vector(i) >= cut.vectors) break;
    float a[N];
    to_floats(part.at[i], a);
    f(a, cut.column(part.vector(i)));
  }
  if (const int e = cut.edge(threadIdx.x); e >= 0) {
    float a[1] = {to_float(part.edge)};
    f(a, e);
  }
}
// The same of two tensors: f(elements of a, elements of b, column).
template <class T, class F>
__device__ __forceinline__ void for_each(const GroupPart<T>& a, const GroupPart<T>& b,
                                         const Cut<lanes_of_16<T>>& cut, F f) {
  constexpr int N = lanes_of_16<T>;
#pragma unroll
  for (int i = 0; i < group_vectors; ++i) {
    if (a.vector(i) >= cut.vectors) break;
    float v[N], w[N];
    to_floats(a.at[i], v);
    to_floats(b.at[i], w);
    f(v, w, cut.column(a.vector(i)));
  }
  if (const int e = cut.edge(threadIdx.x); e >= 0) {
    float v[1] = {to_float(a.edge)}, w[1] = {to_float(b.edge)};
    f(v, w, e);
  }
}
template <class T, int M>
__device__ __forceinline__ void store_floats(T* to, const float (&a)[M]) {
  if constexpr (M == 1)
    *to = from_float<T>(a[0]);
  else
    store<M>(to, from_floats<T>(a));
}

// Threads for a run of `size` elements, and runs per block: one, unless a warp is enough for it.
inline dim3 group_block(std::int64_t size, int lanes) {
  const dim3 one = row_block(size / lanes, group_vectors, 1);
  return one.x == 32 ? dim3(32, 4) : one;
}

// Empty, or why the group cannot be in registers. `most`: threads per block.
template <class... P>
std::string registers_take(const GroupShape& s, std::size_t element, int most, const P*... p) {
  if (s.outer != 1 || s.run() == 0) return "takes groups that are one run of memory";
  if (s.run() * std::int64_t(element) > std::int64_t(most) * group_vectors * 16)
    return "takes groups of at most " + std::to_string(most * group_vectors / 64) + " KiB";
  if (s.all_groups() > most_runs) return "takes at most " + std::to_string(most_runs) + " groups";
  return cut_alike(p...) ? "" : "wants tensors at the same distance from a 16-byte boundary";
}

// Where an H200 has timed it. Empty, or what to choose instead.
inline std::string odd_groups(const GroupShape& s, std::size_t element) {
  return s.run() * std::int64_t(element) % 16 != 0 ? ""
                                                   : "no GPU has timed groups of whole vectors by "
                                                     "it; a lower rung is chosen until one has";
}

}  // namespace warpath::norm
