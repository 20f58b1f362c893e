// Where the accumulators of a wgmma lie: in the registers of a warp group, 64 rows by N columns.
//
// A thread holds, for every 8 columns, two neighbours in one row and two in the row 8 below:
//   row = 16 * warp + lane / 4 (+ 8), column = 8 * j + 2 * (lane % 4) (+ 1), sums[4 * j + …]
#pragma once
#include "core/hopper/mainloop.cuh"

namespace warpath::hopper {

// Where sums[0] of this thread lies in the result.
struct Corner {
  std::int64_t batch, row, column;
};
template <class Tile>
__device__ __forceinline__ Corner corner_of(TilePlace at, int group) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x % ptx::warp_group / 32;
  return {at.batch, at.row * Tile::m + group * 64 + warp * 16 + lane / 4,
          at.column * Tile::n + lane % 4 * 2};
}

// f(sum, its neighbour, row, column), relative to the corner.
template <int Count, class F>
__device__ __forceinline__ void for_each_pair(float (&sums)[Count], F&& f) {
#pragma unroll
  for (int half = 0; half < 2; ++half)
#pragma unroll
    for (int j = 0; j < Count / 4; ++j)
      f(sums[4 * j + 2 * half], sums[4 * j + 2 * half + 1], 8 * half, 8 * j);
}

}  // namespace warpath::hopper
