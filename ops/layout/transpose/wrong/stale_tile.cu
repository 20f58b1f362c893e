// A block works on one tile after the other, and fills the next while slow threads still read
// the last.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

template <class T>
__global__ void stale_tile(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                           std::int64_t tiles_right, std::int64_t tiles) {
  __shared__ T tile[32][33];
  for (std::int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::int64_t r0 = t / tiles_right * 32, c0 = t % tiles_right * 32;
    for (int k = threadIdx.y; k < 32; k += 8)
      if (r0 + k < rows && c0 + threadIdx.x < cols)
        tile[k][threadIdx.x] = x[(r0 + k) * cols + c0 + threadIdx.x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
      if (r0 + threadIdx.x < rows && c0 + k < cols)
        y[(c0 + k) * rows + r0 + threadIdx.x] = tile[threadIdx.x][k];
    // Missing here: __syncthreads();
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t tiles_right = ceil_div(cols, 32), tiles = ceil_div(rows, 32) * tiles_right;
    stale_tile<T><<<4, dim3(32, 8), 0, stream>>>(args.x.as<T>(), args.y.as<T>(), rows, cols,
                                                 tiles_right, tiles);
  });
}

WARPATH_RUNG(Args, launch, .race = true);

}  // namespace
}  // namespace warpath::transpose
