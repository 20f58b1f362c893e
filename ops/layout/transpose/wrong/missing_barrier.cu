// The tile is read before all of it is written: nothing makes a warp wait for the others.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

template <class T>
__global__ void missing_barrier(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                                std::int64_t tiles_right) {
  __shared__ T tile[32][33];
  const std::int64_t r0 = blockIdx.x / tiles_right * 32, c0 = blockIdx.x % tiles_right * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (r0 + k < rows && c0 + threadIdx.x < cols)
      tile[k][threadIdx.x] = x[(r0 + k) * cols + c0 + threadIdx.x];
  for (int k = threadIdx.y; k < 32; k += 8)
    if (r0 + threadIdx.x < rows && c0 + k < cols)
      y[(c0 + k) * rows + r0 + threadIdx.x] = tile[threadIdx.x][k];
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles_right = ceil_div(cols, 32);
    missing_barrier<T><<<grid_x(ceil_div(rows, 32) * tiles_right, 1), dim3(32, 8), 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), rows, cols, tiles_right);
  });
}

WARPATH_RUNG(Args, launch, .race = true);

}  // namespace
}  // namespace warpath::transpose
