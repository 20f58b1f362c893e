// Rows that start anywhere, cut at the 16-byte boundaries of memory.
//
// Rows of 50257 elements of 2 bytes start at every even address. Each is cut into a head of single
// elements up to the first boundary, a body of whole vectors, and a tail of single elements; head
// and tail together are fewer than 2N elements, one per thread. A row that starts at a boundary and
// is whole vectors long has neither.
#pragma once
#include <cstdint>
#include <type_traits>

#include "core/thread/vector.cuh"

namespace warpath::softmax {

// Whole: all rows start at a boundary and are whole vectors long, as is known on the host. Then there
// are no edges, and no registers for them.
template <int N, bool Whole = N == 1>
struct Cut {
  int cols;     // of the whole stretch
  int head;     // elements before the first boundary
  int vectors;  // of N elements each, from there on

  template <class T>
  __device__ __forceinline__ Cut(const T* row, std::int64_t size) {
    cols = int(size < 0 ? 0 : size);
    const auto element = reinterpret_cast<std::uintptr_t>(row) / sizeof(T);
    head = Whole ? 0 : min(int((N - element % N) % N), cols);
    vectors = (cols - head) / N;
  }
  __device__ __forceinline__ int column(int vector) const {
    return (Whole ? 0 : head) + vector * N;
  }
  // The single element that thread `t` takes; -1: none. The first N threads take the head, the next
  // N the tail.
  __device__ __forceinline__ int edge(int t) const {
    if constexpr (Whole) return -1;
    const int tail = column(vectors) + t - N;
    return t < N ? (t < head ? t : -1) : (tail < cols ? tail : -1);
  }
};

// True when rows of these tensors, at the same place in each, are cut alike.
template <class T, class... P>
bool cut_alike(const T* first, const P*... others) {
  const auto phase = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
  return ((phase(first) == phase(others)) && ...);
}

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
