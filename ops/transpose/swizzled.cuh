// Sixteen bytes an access on both sides, for matrices whose rows start at multiples of 16 bytes: rung 04's kernel, which
// 05 leaves such matrices to.
#pragma once
#include "core/launch.h"
#include "tile.cuh"

namespace warpath::transpose {

// Whether every row of x and of y starts at a 16-byte boundary and is a whole number of vectors long.
template <class T>
bool rows_are_vectors(const T* x, const T* y, std::int64_t rows, std::int64_t cols) {
  return rows % lanes_of_16<T> == 0 && cols % lanes_of_16<T> == 0 && all_aligned(16, x, y);
}

inline constexpr int side = 64;
template <class T>
inline constexpr int swizzled_threads = side* side / lanes_of_16<T> / 2;  // two vectors each

template <class T>
static __global__ void __launch_bounds__(swizzled_threads<T>)
    swizzled(const T* x, T* y, std::int64_t rows, std::int64_t cols, unsigned tiles_down) {
  constexpr int E = lanes_of_16<T>, threads = swizzled_threads<T>;
  constexpr int vectors = side / E;  // of a tile row
  __shared__ SwizzledTile<T, side, vectors> tile;
  const auto [r0, c0] = place_of_tile<side, side>(blockIdx.x, tiles_down);

  // cols and rows are multiples of E here: a vector lies inside the matrix or outside, never across the edge. All
  // loads come first: the compiler may not move one over a store to the tile.
  Vector<T, E> in[2];
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads, i = k / vectors, v = k % vectors;
    if (r0 + i < rows && c0 + v * E < cols) in[q] = load<E>(x + (r0 + i) * cols + c0 + v * E);
  }
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads;
    tile.vector(k / vectors, k % vectors) = in[q];
  }
  __syncthreads();
  // A warp writes 8 vectors (128 bytes) of each of 4 rows of y: the shape that the swizzle keeps
  // free of conflicts.
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads, v = k % 8 + k / (8 * side) * 8, j = k / 8 % side;
    if (c0 + j >= cols || r0 + v * E >= rows) continue;
    Vector<T, E> out;
#pragma unroll
    for (int e = 0; e < E; ++e) out.at[e] = tile.element(v * E + e, j);
    store_once<E>(y + (c0 + j) * rows + r0 + v * E, out);
  }
}

template <class T>
void launch_swizzled(const T* x, T* y, std::int64_t rows, std::int64_t cols, cudaStream_t stream) {
  const auto tiles_down = static_cast<unsigned>(ceil_div(rows, side));
  const unsigned tiles = grid_x(tiles_down * ceil_div(cols, side), 1);
  swizzled<T><<<tiles, swizzled_threads<T>, 0, stream>>>(x, y, rows, cols, tiles_down);
}

}  // namespace warpath::transpose
