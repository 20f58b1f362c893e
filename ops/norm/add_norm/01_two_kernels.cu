// The addition in one kernel, the normalisation in a second: what a model does without fusion.
//
// The first is element-wise; the second has one warp per row, with shuffles for its sums.
// Limit: s is written by the first kernel and read back by the second, mostly from memory: five
// transfers instead of four. The second kernel reads it three times, and one element per load.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/add_norm/add_norm.h"

namespace warpath::add_norm {
namespace {

constexpr int threads = 256, warps = threads / 32;

template <class T>
__global__ void __launch_bounds__(threads)
    addition(const T* x, const T* residual, T* s, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i < n) s[i] = from_float<T>(to_float(x[i]) + to_float(residual[i]));
}

template <class T>
__global__ void __launch_bounds__(threads)
    normalisation(const T* s, const T* weight, const T* bias, T* y, float* means, float* rstds,
                  bool layer, float eps, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (row >= rows) return;
  const int lane = threadIdx.x % 32;
  s += row * cols;
  y += row * cols;
  float mean = 0, squares = 0;
  if (layer) {
    for (std::int64_t c = lane; c < cols; c += 32) mean += to_float(s[c]);
    mean = warp_reduce(mean, Sum{}) / float(cols);
  }
  for (std::int64_t c = lane; c < cols; c += 32) {
    const float d = to_float(s[c]) - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
  for (std::int64_t c = lane; c < cols; c += 32) {
    const float w = weight ? to_float(weight[c]) : 1.0f, b = bias ? to_float(bias[c]) : 0.0f;
    y[c] = from_float<T>((to_float(s[c]) - mean) * rstd * w + b);
  }
  if (lane == 0 && means) means[row] = mean;
  if (lane == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    addition<T><<<grid_x(rows * cols, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.residual.as<T>(), args.s.as<T>(), rows * cols);
    normalisation<T><<<grid_x(rows, warps), threads, 0, stream>>>(
        args.s.as<T>(), args.weight.as<T>(), args.bias.as<T>(), args.y.as<T>(),
        args.mean.as<float>(), args.rstd.as<float>(), args.kind == Kind::layer,
        static_cast<float>(args.eps), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::add_norm
