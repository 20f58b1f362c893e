// The grid is rounded down: what lies past the last whole tile is never written.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

template <class T>
__global__ void whole_tiles_only(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                                 std::int64_t tiles_right) {
  __shared__ T tile[32][33];
  const std::int64_t r0 = blockIdx.x / tiles_right * 32, c0 = blockIdx.x % tiles_right * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    tile[k][threadIdx.x] = x[(r0 + k) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8)
    y[(c0 + k) * rows + r0 + threadIdx.x] = tile[threadIdx.x][k];
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const std::int64_t tiles_right = cols / 32, tiles = rows / 32 * tiles_right;
  if (tiles == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    whole_tiles_only<T><<<grid_x(tiles, 1), dim3(32, 8), 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), rows, cols, tiles_right);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
