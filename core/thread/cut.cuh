// Rows that start anywhere, cut at the 16-byte boundaries of memory.
//
// Rows of 50257 elements of 2 bytes start at every even address. Each is cut into a head of single
// elements up to the first boundary, a body of whole vectors, and a tail of single elements; head
// and tail together are fewer than 2N elements, one per thread. A row that starts at a boundary and
// is whole vectors long has neither.
#pragma once
#include <cstdint>

#include "core/thread/vector.cuh"

namespace warpath {

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

// True when rows of these tensors, at the same place in each, are cut alike. A null pointer counts as
// alike.
template <class T, class... P>
bool cut_alike(const T* first, const P*... others) {
  const auto phase = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16; };
  return ((!others || phase(first) == phase(others)) && ...);
}

}  // namespace warpath
