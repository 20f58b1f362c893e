// Any shape, any alignment, still sixteen bytes an access on both sides.
//
// What changed: when a row does not start at a multiple of 16 bytes, the tile is moved to where one
// does. Each row of x is read from the vector boundary at or before the tile, and lands in shared
// memory shifted by that row's own remainder; each row of y is written from the boundary at or
// before the tile, so the block also reads the E - 1 rows of x above it. The vectors of
// neighbouring blocks meet exactly: every element of y is written once, and only the ends of a row
// of y are written element by element. What is read twice comes from the L2 cache. Limit: the
// memory.
#include "core/dispatch.cuh"
#include "core/launch.h"
#include "tile.cuh"
#include "transpose.h"

namespace warpath::transpose {
namespace {

constexpr int threads = 256;

// The tile for a type: about 128 bytes of a row of x by 256 bytes of a row of y.
template <class T>
inline constexpr int down = 256 / sizeof(T);
template <class T>
inline constexpr int right = 128 / sizeof(T);

template <class T>
struct Matrix {
  const T* x;
  T* y;
  std::int64_t rows, cols;
};

// How many elements `p + index` lies past a 16-byte boundary: the low bits decide, so 32-bit
// arithmetic will do.
template <class T>
__device__ __forceinline__ int past_boundary(const T* p, unsigned index) {
  return int((unsigned(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) + index) % lanes_of_16<T>);
}

// A vector that may reach outside the array: its elements one by one, those inside only.
template <class T>
__device__ __noinline__ Vector<T, lanes_of_16<T>> load_edge(const T* x, std::int64_t at,
                                                            std::int64_t size) {
  Vector<T, lanes_of_16<T>> v;
  for (int e = 0; e < lanes_of_16<T>; ++e)
    if (at + e >= 0 && at + e < size) v.at[e] = x[at + e];
  return v;
}

template <class T, bool Aligned>
__global__ void __launch_bounds__(threads) shifted(Matrix<T> m, unsigned tiles_right) {
  constexpr int E = lanes_of_16<T>;
  constexpr int halo = Aligned ? 0 : E;  // rows of x read above the tile; E - 1 are needed
  constexpr int row_vectors = right<T> / E + (Aligned ? 0 : 1);
  constexpr int tile_rows = down<T> + halo;
  __shared__ SwizzledTile<T, tile_rows, row_vectors> tile;
  const std::int64_t r0 =
      std::int64_t(blockIdx.x / tiles_right) * down<T> - halo;  // of the tile, halo included
  const std::int64_t c0 = std::int64_t(blockIdx.x % tiles_right) * right<T>;

#pragma unroll 4
  for (int k = threadIdx.x; k < tile_rows * row_vectors; k += threads) {
    const int i = k / row_vectors, v = k % row_vectors;
    const std::int64_t r = r0 + i;
    if (r < 0 || r >= m.rows) continue;
    const std::int64_t start = r * m.cols + c0;
    const std::int64_t at = start + v * E - (Aligned ? 0 : past_boundary(m.x, unsigned(start)));
    if (at >= (r + 1) * m.cols) continue;
    if (Aligned || (at >= 0 && at + E <= m.rows * m.cols))
      tile.vector(i, v) = load_once<E>(m.x + at);
    else
      tile.vector(i, v) = load_edge(m.x, at, m.rows * m.cols);
  }
  __syncthreads();

  constexpr int out_vectors = down<T> / E;  // of a row of y, written by this block
#pragma unroll 2
  for (int k = threadIdx.x; k < right<T> * out_vectors; k += threads) {
    const int v = k % 8 + k / (8 * right<T>)*8, j = k / 8 % right<T>;
    const std::int64_t c = c0 + j;
    if (c >= m.cols) continue;
    // First row of the vector, counted inside the tile: r0 + halo is the tile proper, less this
    // row's remainder.
    const std::int64_t y_row = c * m.rows;
    const int i = v * E + halo - (Aligned ? 0 : past_boundary(m.y, unsigned(y_row + r0 + halo)));
    const std::int64_t r = r0 + i;
    Vector<T, E> out;
#pragma unroll
    for (int e = 0; e < E; ++e) {
      // Where column c of row r + e landed: shifted by the remainder of that row of x.
      const int shift =
          Aligned ? 0 : past_boundary(m.x, unsigned(r + e) * unsigned(m.cols) + unsigned(c0));
      out.at[e] = tile.element(i + e, j + shift);
    }
    if (r >= 0 && r + E <= m.rows) {
      store_once<E>(m.y + y_row + r, out);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (r + e >= 0 && r + e < m.rows) m.y[y_row + r + e] = out.at[e];
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Matrix<T> m{args.x.as<T>(), args.y.as<T>(), rows, cols};
    const bool aligned =
        rows % lanes_of_16<T> == 0 && cols % lanes_of_16<T> == 0 && all_aligned(16, m.x, m.y);
    const auto tiles_right = static_cast<unsigned>(ceil_div(cols, right<T>));
    // The last block's vectors end up to E - 1 rows early when rows of y are shifted.
    const std::int64_t tiles_down = ceil_div(rows + (aligned ? 0 : lanes_of_16<T> - 1), down<T>);
    const unsigned tiles = grid_x(tiles_down * tiles_right, 1);
    if (aligned)
      shifted<T, true><<<tiles, threads, 0, stream>>>(m, tiles_right);
    else
      shifted<T, false><<<tiles, threads, 0, stream>>>(m, tiles_right);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
