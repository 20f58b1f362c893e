// Rows that hold the gate and then up: where the elements of a thread lie.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/thread/divisor.cuh"
#include "ops/elementwise/pointwise.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {

using pointwise::threads;

// Vectors of y are counted in 31 bits, which makes the division by those of a row cheap.
struct Rows {
  std::int64_t cols;
  Divisor per_row;  // vectors in a row of y
  int vectors;      // in all
};

// One vector: its offset in y, and that of its gate in x, which has one more half row for every row before it. Its up lies
// `cols` behind the gate.
struct Place {
  std::int64_t y, gate;
  bool there;
};
template <int N>
__device__ __forceinline__ Place place(const Rows& rows, int vector) {
  const std::int64_t y = std::int64_t(vector) * N;
  return {y, y + rows.per_row.quotient(vector) * rows.cols, vector < rows.vectors};
}

// Longer rows would not fit a piece.
inline constexpr std::int64_t longest_row = std::int64_t(1) << 30;

// Calls run(width, rows, blocks, first row) for pieces of about 2^30 elements: vectors of 16 bytes where every row starts
// at a 16-byte boundary, single elements otherwise. A thread has 16 bytes of y either way.
template <class T, class Run, class... P>
void by_pieces(std::int64_t rows, std::int64_t cols, Run&& run, const P*... p) {
  constexpr int wide = lanes_of_16<T>;
  const std::int64_t piece = longest_row / cols;
  for (std::int64_t first = 0; first < rows; first += piece) {
    const auto launch = [&](auto width) {
      constexpr int N = decltype(width)::value;
      const int row_vectors = static_cast<int>(cols / N);
      const int vectors = static_cast<int>(std::min(piece, rows - first)) * row_vectors;
      run(width, Rows{cols, Divisor::of(row_vectors), vectors},
          grid_x(vectors, threads<T> * (wide / N)), first);
    };
    if (cols % wide == 0 && all_aligned(16, p...))
      launch(std::integral_constant<int, wide>{});
    else
      launch(std::integral_constant<int, 1>{});
  }
}

}  // namespace warpath::swiglu
