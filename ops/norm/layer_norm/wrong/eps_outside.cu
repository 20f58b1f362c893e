// eps is added to the root instead of under it: the same for rows with a large variance.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {
namespace {

template <class T>
__global__ void eps_outside(const T* x, const T* weight, const T* bias, T* y, float* means,
                            float* rstds, float eps, std::int64_t cols) {
  const std::int64_t row = blockIdx.x;
  x += row * cols;
  y += row * cols;
  float sum = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += 32) sum += to_float(x[c]);
  const float mean = warp_reduce(sum, Sum{}) / float(cols);
  float distances = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += 32) {
    const float d = to_float(x[c]) - mean;
    distances += d * d;
  }
  const float deviation = sqrtf(warp_reduce(distances, Sum{}) / float(cols));
  const float rstd = 1.0f / (deviation + eps);
  for (std::int64_t c = threadIdx.x; c < cols; c += 32) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * w + b);
  }
  if (threadIdx.x == 0 && means) means[row] = mean;
  if (threadIdx.x == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    eps_outside<T><<<grid_x(rows, 1), 32, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps), cols);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::layer_norm
