// 16-bit types: a warp transposes 8 x 8 elements in one instruction.
//
// What changed: 04 gathers a vector of eight 16-bit elements from shared memory one by one.
// `ldmatrix.trans`, made for the tensor cores, loads four matrices of 8 x 8 transposed, and with
// the right choice of their rows a lane gets a whole vector of y (matrices.cuh). All vectors of a
// tile are transposed before the first is stored, and the grid has two axes, so that no division
// delays the first load.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/vector.cuh"
#include "ops/layout/transpose/matrices.cuh"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

constexpr int side = 64, threads = 128;
constexpr int E = 8;               // elements of 16 bits in a vector
constexpr int vectors = side / E;  // of a tile row
constexpr int each = side * vectors / threads;
constexpr int most_tiles_across = 65535;  // the second axis of a grid

template <class T>
__global__ void __launch_bounds__(threads)
    matrices(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  __shared__ MatrixTile<side, vectors> tile;
  const std::int64_t r0 = std::int64_t(blockIdx.x) * side, c0 = std::int64_t(blockIdx.y) * side;

  uint4 in[each] = {};
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const int k = threadIdx.x + q * threads, i = k / vectors, v = k % vectors;
    if (r0 + i < rows && c0 + v * E < cols)
      in[q] = *reinterpret_cast<const uint4*>(x + (r0 + i) * cols + c0 + v * E);
  }
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const int k = threadIdx.x + q * threads;
    tile.vector(k / vectors, k % vectors) = in[q];
  }
  __syncthreads();

  // A warp transposes two columns of vectors, each in two halves of 32 rows.
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint4 out[each];
#pragma unroll
  for (int q = 0; q < each; ++q) out[q] = tile.turned(q % 2 * 32, warp * (each / 2) + q / 2);
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const int j = (warp * (each / 2) + q / 2) * E + lane / 4, i = q % 2 * 32 + lane % 4 * E;
    if (c0 + j < cols && r0 + i < rows)
      __stwb(reinterpret_cast<uint4*>(y + (c0 + j) * rows + r0 + i), out[q]);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch<__half, __nv_bfloat16>(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 tiles(grid_x(rows, side), static_cast<unsigned>(ceil_div(cols, side)));
    matrices<T><<<tiles, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (size_of(args.x.dtype) != 2) return "16-bit types only";
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const auto* x = static_cast<const char*>(args.x.data);
  const auto* y = static_cast<const char*>(args.y.data);
  if (rows % E != 0 || cols % E != 0 || !all_aligned(16, x, y))
    return "only rows that start at 16-byte boundaries, in x and in y";
  if (ceil_div(cols, side) > most_tiles_across) return "at most 4194240 columns";
  return {};
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::transpose
