// Rows that start anywhere (core/thread/cut.cuh): how wide their accesses are, and a row in registers.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/thread/cut.cuh"

namespace warpath::softmax {

using warpath::Cut, warpath::cut_alike;

// How rows are accessed: N elements at a time.
template <int N, bool Whole = N == 1>
struct Width {
  static constexpr int n = N;
  static constexpr bool whole = Whole;
};

// Calls f(width): 16-byte vectors where all tensors are cut alike, otherwise single elements.
template <class T, class F, class... P>
void with_cut(F f, const P*... p) {
  if (cut_alike(p...))
    f(Width<lanes_of_16<T>>{});
  else
    f(Width<1>{});
}
// The same, and whether rows of `cols` elements are whole vectors.
template <class T, class F, class... P>
void with_width(std::int64_t cols, F f, const P*... p) {
  if (cols % lanes_of_16<T> == 0 && all_aligned(16, p...))
    f(Width<lanes_of_16<T>, true>{});
  else
    with_cut<T>(f, p...);
}

// A row in the registers of the `Threads` threads that share it: N elements per access, Items
// accesses per thread, and at most one element of the edges.
template <class T, int N, int Items, int Threads>
struct RowPart {
  static_assert(Threads >= 2 * N, "head and tail are one element per thread");
  Vector<T, N> at[Items];
  T edge;

  static constexpr int size = N * Items * Threads;

  static __device__ __forceinline__ int vector(int item, int thread) {
    return item * Threads + thread;
  }
  // How many of the `left` elements from here to the end of the row belong to this part.
  static __device__ __forceinline__ int inside(std::int64_t left) {
    return int(left < 0 ? 0 : left < size ? left : size);
  }

  // What is read is marked "evict last" (load_kept of core/thread/vector.cuh); "evict first"
  // (ld.cs, st.cs) was slower on an H200 at every length tried.
  template <bool Whole>
  __device__ __forceinline__ void load(const T* x, const Cut<N, Whole>& cut, int thread) {
#pragma unroll
    for (int i = 0; i < Items; ++i)
      at[i] = load_kept<N>(x + cut.column(vector(i, thread)), vector(i, thread) < cut.vectors);
    const int e = cut.edge(thread);
    edge = e < 0 ? T{} : x[e];
  }
};

}  // namespace warpath::softmax
