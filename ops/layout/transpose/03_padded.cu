// One unused element per row removes the bank conflicts.
//
// What changed: rows of the tile are 33 elements long, so the elements of a column lie in 32
// different banks (for 16-bit types two neighbours share a bank's word, and the padding of one
// element still spreads them).
// Limit: one small element per access. For 16-bit types a warp moves 64 bytes per instruction, half
// a cache line.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

constexpr int side = 32;         // of the tile
constexpr int threads_down = 8;  // a thread moves side / threads_down = 4 elements

template <class T>
__global__ void padded(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                       std::int64_t tiles_right) {
  __shared__ T tile[side][side + 1];

  // Tiles are numbered along x: a second grid dimension would end at 65535.
  const std::int64_t r0 = blockIdx.x / tiles_right * side, c0 = blockIdx.x % tiles_right * side;
  for (int k = threadIdx.y; k < side; k += threads_down) {
    const std::int64_t r = r0 + k, c = c0 + threadIdx.x;
    if (r < rows && c < cols) tile[k][threadIdx.x] = x[r * cols + c];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < side; k += threads_down) {
    const std::int64_t r = r0 + threadIdx.x, c = c0 + k;
    if (r < rows && c < cols) y[c * rows + r] = tile[threadIdx.x][k];
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles_right = ceil_div(cols, side);
    const unsigned tiles = grid_x(ceil_div(rows, side) * tiles_right, 1);
    padded<T><<<tiles, dim3(side, threads_down), 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows,
                                                              cols, tiles_right);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
