// Any shape, any alignment, still sixteen bytes per access on both sides.
//
// What changed: rows that do not start at multiples of 16 bytes are copied to shared memory by the
// aligned vectors they lie across, asynchronously, so they arrive with up to E - 1 foreign elements
// in front. Nothing is shifted to correct that: the rows are placed such that element (i, j) of the
// tile still lies at i * pitch + j, with a pitch that need not be a multiple of 16 bytes. The shear
// comes for free, and an odd pitch has no bank conflicts.
//
//   shared memory, E = 4, cols % 4 = 1:   row 0   | 0  1  2  3|…
//                                         row 1   |.  0  1  2|3 …      a "." is foreign
//                                         row 2   |.  .  0  1|2 …
//                                         row 4       | 0  1  2  3|…   starts a vector later
//
// Each row of y is written from the 32-byte sector boundary at or before the tile, so a block also
// reads the rows of x just above it; the vectors of neighbouring blocks meet exactly, and only the
// ends of a row of y are written element by element. The tile is wide, because both cost time per
// tile. Matrices whose rows all start at 16-byte boundaries need none of this: they take 04's
// kernel.
// Limit: the L2 cache. Accesses that straddle its 128-byte lines cost it more lookups than a copy
// does.
#include <cuda_pipeline.h>

#include "core/host/dispatch.cuh"
#include "ops/layout/transpose/swizzled.cuh"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

constexpr int threads = 512;
constexpr int down = 64;  // rows of x in a tile
template <class T>
constexpr int across = 512 / sizeof(T);  // and columns

template <class T>
struct Matrix {
  const T* x;
  T* y;
  std::int64_t rows, cols;
};

// How many elements `p` lies past a boundary of `Step` elements.
template <int Step, class T>
__device__ __forceinline__ int past_boundary(const T* p) {
  return int(unsigned(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) % Step);
}

// The tile in shared memory. With an even pitch, rows E apart would share their banks: then every E
// rows are shifted by one more vector.
template <class T, bool Skewed>
struct Sheared {
  static constexpr int E = lanes_of_16<T>;
  static constexpr int halo = 32 / sizeof(T);  // a sector less one would do
  static constexpr int rows = down + halo, row_vectors = across<T> / E + 1;
  static constexpr int size = rows * row_vectors + rows + rows / E;
  Vector<T, E> vectors[size];

  __device__ __forceinline__ static int skew(int i) { return Skewed ? i / E : 0; }
};

template <class T, bool Skewed>
__global__ void __launch_bounds__(threads) sheared(Matrix<T> m, unsigned tiles_down) {
  using Tile = Sheared<T, Skewed>;
  constexpr int E = Tile::E, halo = Tile::halo, V = Tile::row_vectors;
  __shared__ Tile tile;
  const auto [first_row, c0] = place_of_tile<down, across<T>>(blockIdx.x, tiles_down);
  const std::int64_t r0 = first_row - halo;
  // The part of the tile that lies inside the matrix.
  const int i_begin = r0 < 0 ? int(-r0) : 0;
  const int i_end = int(min(std::int64_t(Tile::rows), m.rows - r0));
  const int j_end = int(min(std::int64_t(across<T>), m.cols - c0));

  const T* const corner = m.x + (r0 * m.cols + c0);
  const T* const x_end = m.x + m.rows * m.cols;
  const int first_past = past_boundary<E>(corner);
  const int more_past = int(m.cols % E);  // how far each row is past the one before
#pragma unroll
  for (int q = 0; q < (Tile::rows * V + threads - 1) / threads; ++q) {
    const int k = threadIdx.x + q * threads, i = k / V;
    const int past = first_past + i * more_past, j = k % V * E - past % E;
    if (i < i_begin || i >= i_end || j >= j_end) continue;
    Vector<T, E>& to = tile.vectors[i * V + past / E + Tile::skew(i) + k % V];
    const T* const from = corner + (i * m.cols + j);
    if (from >= m.x && from + E <= x_end) {
      __pipeline_memcpy_async(&to, from, 16);
    } else {  // across an end of x
      for (int e = 0; e < E; ++e)
        if (from + e >= m.x && from + e < x_end) to.at[e] = from[e];
    }
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();

  const T* const elements = tile.vectors[0].at + first_past;
  const int pitch = V * E + more_past;
  const auto element = [&](int i, int j) { return elements[i * pitch + Tile::skew(i) * E + j]; };
  // A warp writes 8 vectors (128 bytes) of each of 4 rows of y.
#pragma unroll
  for (int q = 0; q < down * across<T> / E / threads; ++q) {
    const int k = threadIdx.x + q * threads;
    const int v = k % 8 + k / (8 * across<T>)*8, j = k / 8 % across<T>;
    if (j >= j_end) continue;
    T* const y = m.y + ((c0 + j) * m.rows + first_row);
    const int shift = past_boundary<halo>(y);
    const int i = v * E + halo - shift;
    if (i >= i_begin && i + E <= i_end) {
      Vector<T, E> out;
#pragma unroll
      for (int e = 0; e < E; ++e) out.at[e] = element(i + e, j);
      store_once<E>(y + (v * E - shift), out);
    } else {
      for (int e = 0; e < E; ++e)
        if (i + e >= i_begin && i + e < i_end) y[v * E - shift + e] = element(i + e, j);
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Matrix<T> m{args.x.as<T>(), args.y.as<T>(), rows, cols};
    if (rows_are_vectors(m.x, m.y, rows, cols))
      return launch_swizzled(m.x, m.y, rows, cols, stream);
    // The last block's writes end up to a sector early, because rows of y are shifted.
    const std::int64_t early = 32 / sizeof(T) - 1;
    const auto tiles_down = static_cast<unsigned>(ceil_div(rows + early, down));
    const unsigned tiles = grid_x(tiles_down * ceil_div(cols, across<T>), 1);
    if (cols % 2 == 0)
      sheared<T, true><<<tiles, threads, 0, stream>>>(m, tiles_down);
    else
      sheared<T, false><<<tiles, threads, 0, stream>>>(m, tiles_down);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
