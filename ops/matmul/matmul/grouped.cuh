// Which tile of d a block makes.
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

}  // namespace warpath::matmul
