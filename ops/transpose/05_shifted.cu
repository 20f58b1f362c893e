// Any shape, any alignment, still sixteen bytes an access on both sides.
//
// What changed: when rows do not start at multiples of 16 bytes, vectors are made to fit. A
// vector of x is put together from the two aligned ones it lies across, by a shift in registers
// (the second comes from the L1 cache). Each row of y is written from the 32-byte sector
// boundary at or before the tile, so a block also reads the rows of x just above it; the vectors
// of neighbouring blocks meet exactly, every element of y is written once, and only the ends of
// a row of y are written element by element. Aligned shapes take the same path with nothing to
// shift.
// Limit: the memory, for aligned shapes. For the others the arithmetic of the shifts: 16-bit
// types, with 8 elements to gather a vector, feel it most.
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
struct Matrix {
  const T* x;
  T* y;
  std::int64_t rows, cols;
};

// How many elements `p + index` lies past a boundary of `Step` elements: the low bits decide, so
// 32-bit arithmetic will do.
template <int Step, class T>
__device__ __forceinline__ int past_boundary(const T* p, unsigned index) {
  return int((unsigned(reinterpret_cast<std::uintptr_t>(p) / sizeof(T)) + index) % Step);
}

// The 16 bytes that start `past` elements into the 32 bytes of `low` and `high`.
template <class T>
__device__ __forceinline__ uint4 shift_in(uint4 low, uint4 high, int past) {
  const unsigned bits = unsigned(past) * sizeof(T) * 8;
  const bool two_words = bits & 64, one_word = bits & 32;
  const unsigned w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  unsigned a[6], b[5];
#pragma unroll
  for (int k = 0; k < 6; ++k) a[k] = two_words ? w[k + 2] : w[k];
#pragma unroll
  for (int k = 0; k < 5; ++k) b[k] = one_word ? a[k + 1] : a[k];
  if constexpr (sizeof(T) == 4) return {b[0], b[1], b[2], b[3]};
  return {__funnelshift_r(b[0], b[1], bits & 31), __funnelshift_r(b[1], b[2], bits & 31),
          __funnelshift_r(b[2], b[3], bits & 31), __funnelshift_r(b[3], b[4], bits & 31)};
}

// The vector at x[at], which may start anywhere; at the array's ends it is read element by element.
template <class T>
__device__ __forceinline__ Vector<T, lanes_of_16<T>> load_unaligned(const T* x, std::int64_t at,
                                                                    std::int64_t size) {
  constexpr int E = lanes_of_16<T>;
  const int past = past_boundary<E>(x, unsigned(at));
  const std::int64_t start = at - past;
  if (start >= 0 && start + 2 * E <= size) {
    const uint4* p = reinterpret_cast<const uint4*>(x + start);
    const uint4 v = shift_in<T>(p[0], p[1], past);
    return reinterpret_cast<const Vector<T, E>&>(v);
  }
  Vector<T, E> v{};
  for (int e = 0; e < E; ++e)
    if (at + e < size) v.at[e] = x[at + e];
  return v;
}

template <class T, bool Aligned>
__global__ void __launch_bounds__(threads<T>) shifted(Matrix<T> m, unsigned tiles_down) {
  constexpr int E = lanes_of_16<T>;
  constexpr int sector = 32 / sizeof(T);
  constexpr int halo =
      Aligned ? 0 : sector;          // rows of x read above the tile; sector - 1 are needed
  constexpr int vectors = side / E;  // of a tile row
  __shared__ SwizzledTile<T, side + halo, vectors> tile;
  const auto [first_row, c0] = place_of_tile<side, side>(blockIdx.x, tiles_down);
  const std::int64_t r0 = first_row - halo;

  // All loads come first: the compiler may not move one over a store to the tile.
  constexpr int loads = ((side + halo) * vectors + threads<T> - 1) / threads<T>;
  Vector<T, E> in[loads];
#pragma unroll
  for (int q = 0; q < loads; ++q) {
    const int k = threadIdx.x + q * threads<T>, i = k / vectors, v = k % vectors;
    if (!Aligned && (i >= side + halo || r0 + i < 0)) continue;
    if (r0 + i >= m.rows || c0 + v * E >= m.cols) continue;
    const std::int64_t at = (r0 + i) * m.cols + c0 + v * E;
    in[q] = Aligned ? load<E>(m.x + at) : load_unaligned(m.x, at, m.rows * m.cols);
  }
#pragma unroll
  for (int q = 0; q < loads; ++q) {
    const int k = threadIdx.x + q * threads<T>;
    if (k < (side + halo) * vectors) tile.vector(k / vectors, k % vectors) = in[q];
  }
  __syncthreads();

#pragma unroll
  for (int q = 0; q < 2; ++q) {
    const int k = threadIdx.x + q * threads<T>, v = k % 8 + k / (8 * side) * 8, j = k / 8 % side;
    if (c0 + j >= m.cols) continue;
    // The first row of x in this vector of y, counted from r0: it moves up by what y's row is past
    // a boundary.
    T* const y_row = m.y + (c0 + j) * m.rows;
    const int i = v * E + halo - (Aligned ? 0 : past_boundary<sector>(y_row, unsigned(first_row)));
    const std::int64_t r = r0 + i;
    if (Aligned ? r < m.rows : r >= 0 && r + E <= m.rows) {
      Vector<T, E> out;
#pragma unroll
      for (int e = 0; e < E; ++e) out.at[e] = tile.element(i + e, j);
      store_once<E>(y_row + r, out);
    } else if (!Aligned) {
      for (int e = 0; e < E; ++e)
        if (r + e >= 0 && r + e < m.rows) y_row[r + e] = tile.element(i + e, j);
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
    // What the last block writes ends up to a sector early when rows of y are shifted.
    const std::int64_t early = aligned ? 0 : 32 / sizeof(T) - 1;
    const auto tiles_down = static_cast<unsigned>(ceil_div(rows + early, side));
    const unsigned tiles = grid_x(tiles_down * ceil_div(cols, side), 1);
    if (aligned)
      shifted<T, true><<<tiles, threads<T>, 0, stream>>>(m, tiles_down);
    else
      shifted<T, false><<<tiles, threads<T>, 0, stream>>>(m, tiles_down);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
