// A row too long for one block is cut into parts of equal length, one block each.
#pragma once
#include "ops/softmax/softmax/row.cuh"

namespace warpath::softmax {

inline constexpr int split_threads = 512;
inline constexpr int part_elements = split_threads * elements_a_thread;

inline std::int64_t parts_of(std::int64_t cols) {
  return ceil_div(cols, part_elements);
}

// Where block `b` works: its row, its first column, and how many columns it has.
struct Place {
  std::int64_t row, first;
  int cols;
};
__device__ __forceinline__ Place place_of(std::int64_t b, std::int64_t parts, std::int64_t cols) {
  const std::int64_t first = b % parts * part_elements;
  return {b / parts, first, int(min(cols - first, std::int64_t(part_elements)))};
}

// Of the staged rungs.
inline constexpr std::int64_t small_part = 64 * 1024;          // three such blocks fit on an SM
inline constexpr std::int64_t large_part = 128 * 1024;         // two, with part of it in registers
inline constexpr std::int64_t longest_row_kernel = 16 * 1024;  // up to here registers suffice

}  // namespace warpath::softmax
