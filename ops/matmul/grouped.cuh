// Which tile of d a block makes, and what a block may hold.
#pragma once
#include "core/device.cuh"
#include "problem.cuh"

namespace warpath::matmul {

// Tiles go down a group of `group` rows of tiles, then one to the right, and so on: blocks that run
// at the same time then share fewer rows of a and columns of b than if they went along one long
// row. 132 blocks of 8 rows have 8 + 17 tiles to fetch, along a row of tiles up to 1 + 132.
template <int Down, int Right>
__device__ __forceinline__ Place grouped_place(unsigned tile, std::int64_t m, std::int64_t n) {
  constexpr unsigned group = 8;
  const unsigned right = unsigned((n + Right - 1) / Right), down = unsigned((m + Down - 1) / Down);
  const unsigned batch = tile / (right * down), here = tile % (right * down);
  const unsigned first = here / (group * right) * group;  // row of tiles
  const unsigned rows = min(group, down - first), inside = here % (group * right);
  return {batch, std::int64_t(first + inside % rows) * Down, std::int64_t(inside / rows) * Right};
}

inline std::string enough_shared_memory(std::size_t bytes) {
  const int have = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (static_cast<std::size_t>(have) >= bytes) return {};
  return "needs " + std::to_string((bytes + 1023) / 1024) +
         " KiB of shared memory a block; this device has " + std::to_string(have / 1024);
}

}  // namespace warpath::matmul
