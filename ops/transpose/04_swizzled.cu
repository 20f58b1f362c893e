// Sixteen bytes an access, and a swizzle in place of the padding.
//
// What changed: a thread reads a vector of 4 floats or 8 halves and writes such a vector; only
// the gather of a column from shared memory goes element by element. Padding would break the
// 16-byte alignment of the tile's rows, so the vectors of a row are permuted instead (tile.cuh).
// Every thread has two loads in flight. Rows that do not start at a multiple of 16 bytes cannot
// be read this way: those shapes take the padded kernel's path, one element an access.
// Limit: the memory, for aligned shapes; half of its rate and less for the others.
#include "core/dispatch.cuh"
#include "core/launch.h"
#include "tile.cuh"
#include "transpose.h"

namespace warpath::transpose {
namespace {

constexpr int side = 64;
template <class T>
constexpr int threads = side* side / lanes_of_16<T> / 2;  // two vectors each

template <class T>
__global__ void __launch_bounds__(threads<T>)
    swizzled(const T* x, T* y, std::int64_t rows, std::int64_t cols, unsigned tiles_down) {
  constexpr int E = lanes_of_16<T>;
  constexpr int vectors = side / E;  // of a tile row
  __shared__ SwizzledTile<T, side, vectors> tile;
  const auto [r0, c0] = place_of_tile<side, side>(blockIdx.x, tiles_down);

  // cols and rows are multiples of E here: a vector lies inside the matrix or outside, never across the edge. All
  // loads come first: the compiler may not move one over a store to the tile.
  Vector<T, E> in[2];
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads<T>, i = k / vectors, v = k % vectors;
    if (r0 + i < rows && c0 + v * E < cols) in[q] = load<E>(x + (r0 + i) * cols + c0 + v * E);
  }
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads<T>;
    tile.vector(k / vectors, k % vectors) = in[q];
  }
  __syncthreads();
  // A warp writes 8 vectors (128 bytes) of each of 4 rows of y: the shape that the swizzle keeps
  // free of conflicts.
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads<T>, v = k % 8 + k / (8 * side) * 8, j = k / 8 % side;
    if (c0 + j >= cols || r0 + v * E >= rows) continue;
    Vector<T, E> out;
#pragma unroll
    for (int e = 0; e < E; ++e) out.at[e] = tile.element(v * E + e, j);
    store_once<E>(y + (c0 + j) * rows + r0 + v * E, out);
  }
}

template <class T>
__global__ void __launch_bounds__(256)
    padded(const T* x, T* y, std::int64_t rows, std::int64_t cols, unsigned tiles_down) {
  __shared__ T tile[side][side + 1];
  const auto [r0, c0] = place_of_tile<side, side>(blockIdx.x, tiles_down);
  for (int k = threadIdx.x; k < side * side; k += 256) {
    const int i = k / side, j = k % side;
    if (r0 + i < rows && c0 + j < cols) tile[i][j] = x[(r0 + i) * cols + c0 + j];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < side * side; k += 256) {
    const int j = k / side, i = k % side;
    if (r0 + i < rows && c0 + j < cols) y[(c0 + j) * rows + r0 + i] = tile[i][j];
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = args.x.as<T>();
    T* y = args.y.as<T>();
    const auto tiles_down = static_cast<unsigned>(ceil_div(rows, side));
    const unsigned tiles = grid_x(tiles_down * ceil_div(cols, side), 1);
    if (rows % lanes_of_16<T> == 0 && cols % lanes_of_16<T> == 0 && all_aligned(16, x, y))
      swizzled<T><<<tiles, threads<T>, 0, stream>>>(x, y, rows, cols, tiles_down);
    else
      padded<T><<<tiles, 256, 0, stream>>>(x, y, rows, cols, tiles_down);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
