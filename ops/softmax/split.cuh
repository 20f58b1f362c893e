// A row too long for one block is cut into parts of equal length, one block each.
#pragma once
#include "row.cuh"

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

// The same among the blocks of one cluster: as few as hold the row in their registers, with equal
// shares.
inline constexpr int largest_cluster = 16;
inline constexpr std::int64_t longest_cluster_row = std::int64_t(largest_cluster) * part_elements;

struct ClusterSplit {
  unsigned cluster;
  std::int64_t block_cols;  // of every block but the last; a multiple of the vector width
};
inline ClusterSplit split_for_cluster(std::int64_t cols, int width) {
  unsigned cluster = 1;
  while (std::int64_t(cluster) * part_elements < cols) cluster *= 2;
  return {cluster, ceil_div(ceil_div(cols, cluster), width) * width};
}

}  // namespace warpath::softmax
