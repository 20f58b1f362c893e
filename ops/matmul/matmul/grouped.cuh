// Which tile of d a block makes, and what a block may hold.
#pragma once
#include "core/block/tile_order.cuh"
#include "core/host/device.cuh"
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {

// In bands of 8 rows of tiles: 132 blocks have 8 + 17 tiles to fetch, along one row of tiles up to
// 1 + 132.
template <int Down, int Right>
__device__ __forceinline__ Place grouped_place(unsigned tile, std::int64_t m, std::int64_t n) {
  const TileOrder order{int((m + Down - 1) / Down), int((n + Right - 1) / Right), 1, 8};
  const TilePlace at = order.at(int(tile));
  return {at.batch, std::int64_t(at.row) * Down, std::int64_t(at.column) * Right};
}

inline std::string enough_shared_memory(std::size_t bytes) {
  const int have = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (static_cast<std::size_t>(have) >= bytes) return {};
  return "needs " + std::to_string((bytes + 1023) / 1024) +
         " KiB of shared memory per block; this device has " + std::to_string(have / 1024);
}

}  // namespace warpath::matmul
