// A tile of a matrix with any strides, brought to shared memory one element per access. Used by the
// rungs that take every layout.
#pragma once
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {

// Rows x Cols from (row, col) on, as floats; zeros outside of the matrix, which add nothing to a
// sum. Neighbouring threads go along the axis on which neighbours lie closer in memory.
template <int Rows, int Cols, int Threads, class T>
__device__ __forceinline__ void load_tile(float (&tile)[Rows][Cols], const Matrices<T>& x,
                                          std::int64_t batch, std::int64_t row, std::int64_t col,
                                          std::int64_t rows, std::int64_t cols) {
  const bool along_rows = x.col <= x.row;
#pragma unroll
  for (int q = 0; q < (Rows * Cols + Threads - 1) / Threads; ++q) {
    const int i = q * Threads + int(threadIdx.x);
    if (Rows * Cols % Threads != 0 && i >= Rows * Cols) break;
    const int r = along_rows ? i / Cols : i % Rows, c = along_rows ? i % Cols : i / Rows;
    const bool inside = row + r < rows && col + c < cols;
    tile[r][c] = inside ? to_float(x.at(batch, row + r, col + c)) : 0.0f;
  }
}

}  // namespace warpath::matmul
