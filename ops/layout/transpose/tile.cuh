// A tile of x on its way to y: 16 bytes per access on both sides, no bank conflicts in between.
//
// A row of the tile is kept as 16-byte vectors. Vector v of row i lies at place v XOR (i / E), E
// elements per vector: the threads of a warp that gather a column then hit eight different groups
// of four banks instead of one.
//
//   shared memory, E = 4:        rows 0-3   v0 v1 v2 v3 v4 v5 v6 v7
//                                rows 4-7   v1 v0 v3 v2 v5 v4 v7 v6
//                                rows 8-11  v2 v3 v0 v1 v6 v7 v4 v5    …
#pragma once
#include "core/thread/vector.cuh"

namespace warpath::transpose {

template <class T, int Rows, int RowVectors>
struct SwizzledTile {
  static constexpr int E = lanes_of_16<T>;
  using V = Vector<T, E>;
  V vectors[Rows * RowVectors];

  static __device__ __forceinline__ int place(int row, int v) {
    static_assert(RowVectors % 8 == 0);
    return row * RowVectors + (v ^ (row / E & 7));
  }
  __device__ __forceinline__ V& vector(int row, int v) { return vectors[place(row, v)]; }
  __device__ __forceinline__ T element(int row, int col) const {
    return vectors[place(row, col / E)].at[col % E];
  }
};

// Tiles are numbered down the columns of x, so that blocks which run together write along the rows
// of y: on an H200 that is worth 4% over numbering along the rows, for reads suffer less from being
// scattered than writes do.
struct TilePlace {
  std::int64_t row, col;  // of the tile's first element in x
};
template <int Down, int Right>
__device__ __forceinline__ TilePlace place_of_tile(unsigned tile, unsigned tiles_down) {
  return {std::int64_t(tile % tiles_down) * Down, std::int64_t(tile / tiles_down) * Right};
}

}  // namespace warpath::transpose
