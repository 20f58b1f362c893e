// dx of the norm alone: what flows back along the residual connection is lost.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/add_norm/add_norm.h"

namespace warpath::add_norm {
namespace {

template <class T>
__global__ void forgets_ds(const T* s, const T* dy, const float* means, const float* rstds,
                           const T* weight, T* dx, bool layer, std::int64_t rows,
                           std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t first = row * cols;
  const float mean = layer ? means[row] : 0.0f, rstd = rstds[row];
  float sum = 0, dot = 0;
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]) * (weight ? to_float(weight[c]) : 1.0f);
    sum += g;
    dot += g * (to_float(s[first + c]) - mean) * rstd;
  }
  sum = layer ? sum / float(cols) : 0.0f;
  dot /= float(cols);
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]) * (weight ? to_float(weight[c]) : 1.0f);
    const float n = (to_float(s[first + c]) - mean) * rstd;
    dx[first + c] = from_float<T>(rstd * (g - sum - n * dot));
  }
}

template <class T>
__global__ void column_naive(const T* s, const T* dy, const float* means, const float* rstds,
                             T* dweight, T* dbias, bool layer, std::int64_t rows,
                             std::int64_t cols) {
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float weight = 0, bias = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float d = to_float(dy[r * cols + c]);
    weight += d * (to_float(s[r * cols + c]) - (layer ? means[r] : 0.0f)) * rstds[r];
    bias += d;
  }
  if (dweight) dweight[c] = from_float<T>(weight);
  if (dbias) dbias[c] = from_float<T>(bias);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.s.shape[0], cols = args.s.shape[1];
  if (cols == 0) return;
  dispatch_float(args.s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    const T *s = args.s.as<T>(), *dy = args.dy.as<T>();
    const float *mean = args.mean.as<float>(), *rstd = args.rstd.as<float>();
    const bool layer = args.kind == Kind::layer;
    forgets_ds<T><<<grid_x(rows, threads), threads, 0, stream>>>(
        s, dy, mean, rstd, args.weight.as<T>(), args.dx.as<T>(), layer, rows, cols);
    column_naive<T><<<grid_x(cols, threads), threads, 0, stream>>>(
        s, dy, mean, rstd, args.dweight.as<T>(), args.dbias.as<T>(), layer, rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::add_norm
