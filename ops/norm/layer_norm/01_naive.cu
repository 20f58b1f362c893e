// One thread, one row: the mean, the variance, the result, in three loops as on paper.
//
// The variance is the mean of squared distances from the mean, which is known only after the first
// loop. That order is also the accurate one.
// Limit: everything. Neighbouring threads read elements a whole row apart (no coalescing), x is read
// three times, and a few long rows keep a few threads busy.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {
namespace {

template <class T>
__global__ void naive(const T* x, const T* weight, const T* bias, T* y, float* means, float* rstds,
                      float eps, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float mean = 0;
  for (std::int64_t c = 0; c < cols; ++c) mean += to_float(x[c]);
  mean /= float(cols);
  float variance = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const float d = to_float(x[c]) - mean;
    variance += d * d;
  }
  const float rstd = rsqrtf(variance / float(cols) + eps);
  for (std::int64_t c = 0; c < cols; ++c) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * w + b);
  }
  if (means) means[row] = mean;
  if (rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    naive<T><<<grid_x(rows, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), static_cast<float>(args.eps), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::layer_norm
