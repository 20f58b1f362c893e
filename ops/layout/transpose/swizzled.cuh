// Sixteen bytes per access on both sides, for matrices whose rows start at multiples of 16 bytes:
// rung 04's kernel, which 05 uses for such matrices too.
#pragma once
#include "core/host/launch.h"
#include "ops/layout/transpose/tile.cuh"

namespace warpath::transpose {

// Whether every row of x and of y starts at a 16-byte boundary and is a whole number of vectors long.
template <class T>
bool rows_are_vectors(const T* x, const T* y, std::int64_t rows, std::int64_t cols) {
  return rows % lanes_of_16<T> == 0 && cols % lanes_of_16<T> == 0 && all_aligned(16, x, y);
}

// A tile: rows and columns of x, and the threads that move it. Both sides are multiples of 8
// vectors: 8 threads access 128 contiguous bytes.
template <int Down, int Across, int Threads>
struct TileShape {
  static constexpr int down = Down, across = Across, threads = Threads;
};
template <class T>
using SwizzledShape = TileShape<64, 64, 128 * int(sizeof(T))>;  // two vectors per thread

template <class T, class Shape>
static __global__ void __launch_bounds__(Shape::threads)
    swizzled(const T* x, T* y, std::int64_t rows, std::int64_t cols, unsigned tiles_down) {
  constexpr int E = lanes_of_16<T>, threads = Shape::threads, across = Shape::across;
  constexpr int vectors = across / E;  // of a tile row
  constexpr int each = Shape::down * vectors / threads;
  static_assert(Shape::down % (8 * E) == 0 && Shape::down * vectors % threads == 0);
  __shared__ SwizzledTile<T, Shape::down, vectors> tile;
  const auto [r0, c0] = place_of_tile<Shape::down, across>(blockIdx.x, tiles_down);

  // cols and rows are multiples of E here: a vector lies inside the matrix or outside, never across the edge. All
  // loads come first: the compiler may not move one over a store to the tile.
  Vector<T, E> in[each];
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const int k = threadIdx.x + q * threads, i = k / vectors, v = k % vectors;
    if (r0 + i < rows && c0 + v * E < cols) in[q] = load<E>(x + (r0 + i) * cols + c0 + v * E);
  }
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const int k = threadIdx.x + q * threads;
    tile.vector(k / vectors, k % vectors) = in[q];
  }
  __syncthreads();
  // A warp writes 8 vectors (128 bytes) of each of 4 rows of y: the shape that the swizzle keeps
  // free of conflicts.
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const int k = threadIdx.x + q * threads, v = k % 8 + k / (8 * across) * 8, j = k / 8 % across;
    if (c0 + j >= cols || r0 + v * E >= rows) continue;
    Vector<T, E> out;
#pragma unroll
    for (int e = 0; e < E; ++e) out.at[e] = tile.element(v * E + e, j);
    store_once<E>(y + (c0 + j) * rows + r0 + v * E, out);
  }
}

template <class T>
void launch_swizzled(const T* x, T* y, std::int64_t rows, std::int64_t cols, cudaStream_t stream) {
  using Shape = SwizzledShape<T>;
  const auto tiles_down = static_cast<unsigned>(ceil_div(rows, Shape::down));
  const unsigned tiles = grid_x(tiles_down * ceil_div(cols, Shape::across), 1);
  swizzled<T, Shape><<<tiles, Shape::threads, 0, stream>>>(x, y, rows, cols, tiles_down);
}

}  // namespace warpath::transpose
