// One warp, one row: shuffles in place of barriers.
//
// What changed: 32 lanes add up among themselves in registers, so no thread ever waits for another
// warp, and eight rows share a block.
// Limit: x is read three times (the second and third time mostly from cache when the row is short),
// and a long row has only 32 threads: too few bytes in flight.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {
namespace {

constexpr int warps = 8;  // and rows per block

template <class T>
__global__ void __launch_bounds__(32 * warps)
    warp_per_row(const T* x, const T* weight, const T* bias, T* y, float* means, float* rstds,
                 float eps, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  x += row * cols;
  y += row * cols;
  float sum = 0;
  for (std::int64_t c = lane; c < cols; c += 32) sum += to_float(x[c]);
  const float mean = warp_reduce(sum, Sum{}) / float(cols);
  float squares = 0;
  for (std::int64_t c = lane; c < cols; c += 32) {
    const float d = to_float(x[c]) - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
  for (std::int64_t c = lane; c < cols; c += 32) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * w + b);
  }
  if (lane == 0 && means) means[row] = mean;
  if (lane == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    warp_per_row<T><<<grid_x(rows, warps), 32 * warps, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::layer_norm
