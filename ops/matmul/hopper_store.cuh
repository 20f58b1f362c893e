// From the sums in a warp group's registers to d.
//
// A thread holds, for every 8 columns, two neighbours in one row and two in the row 8 below:
//   row = 16 * warp + lane / 4 (+ 8), column = 8 * j + 2 * (lane % 4) (+ 1), sums[4 * j + …]
#pragma once
#include "epilogue.cuh"
#include "hopper.cuh"

namespace warpath::matmul::hopper {

// Where sums[0] of this thread lies in d.
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

template <class T, int Count>
__device__ __forceinline__ void finish(float (&sums)[Count], const Epilogue<T>& out, Corner at) {
  matmul::finish(out, at.batch, at.row, at.column, [&](auto f) {
#pragma unroll
    for (int j = 0; j < Count / 4; ++j) f(reinterpret_cast<Quad&>(sums[4 * j]), 0, 8 * j);
  });
}

// Finished sums, by the threads themselves: 16 bytes of each of 8 rows in one instruction of a warp.
template <class T, int Count>
__device__ __forceinline__ void store_finished(float (&sums)[Count], const Epilogue<T>& out,
                                               Corner at) {
  store_pairs(out, at.batch, at.row, at.column, [&](auto f) { for_each_pair(sums, f); });
}

template <class Tile, class T>
__device__ __forceinline__ void store_direct(typename Tile::Sums& sums, const Epilogue<T>& out,
                                             TilePlace at, int group) {
  const Corner corner = corner_of<Tile>(at, group);
  finish(sums, out, corner);
  store_finished(sums, out, corner);
}

}  // namespace warpath::matmul::hopper
