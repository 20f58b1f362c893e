// One warp, one row: shuffles in place of barriers.
//
// What changed: 32 lanes reduce among themselves in registers, so no thread ever waits for
// another warp, and eight rows share a block.
// Limit: x is read three times (the second and third time mostly from cache when the row is
// short), and a long row has only 32 threads: too few bytes in flight.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

constexpr int warps = 8;  // and rows per block

template <class T>
__global__ void __launch_bounds__(32 * warps)
    warp_a_row(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  x += row * cols;
  y += row * cols;
  float largest = -INFINITY;
  for (std::int64_t c = lane; c < cols; c += 32) largest = fmaxf(largest, to_float(x[c]));
  largest = warp_reduce(largest, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (std::int64_t c = lane; c < cols; c += 32) sum += expf(to_float(x[c]) - largest);
  sum = warp_reduce(sum, Sum{});
  for (std::int64_t c = lane; c < cols; c += 32)
    y[c] = from_float<T>(expf(to_float(x[c]) - largest) / sum);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    warp_a_row<T><<<grid_x(rows, warps), 32 * warps, 0, stream>>>(args.x.as<T>(), args.y.as<T>(),
                                                                  rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::softmax
