// A 32x32 tile goes through shared memory: both sides of the copy are coalesced.
//
// What changed: a block reads its tile row by row and writes it row by row of y; the exchange of
// rows and columns happens in shared memory, where the order of accesses costs no memory
// traffic.
// Limit: bank conflicts. A column of the tile lies in one bank (32 floats per row, 32 banks), so
// the 32 threads that read it are served one after the other.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

constexpr int side = 32;         // of the tile
constexpr int threads_down = 8;  // a thread moves side / threads_down = 4 elements

template <class T>
__global__ void shared(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                       std::int64_t tiles_right) {
  __shared__ T tile[side][side];

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
    shared<T><<<tiles, dim3(side, threads_down), 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows,
                                                              cols, tiles_right);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
