// rstd taken for a constant: dx = dy * weight * rstd. It depends on every element of the row.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

template <class T>
__global__ void constant_rstd(const T* dy, const float* rstds, const T* weight, T* dx,
                              std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const std::int64_t first = row * cols;
  const float rstd = rstds[row];
  for (std::int64_t c = 0; c < cols; ++c) {
    const float g = to_float(dy[first + c]) * (weight ? to_float(weight[c]) : 1.0f);
    dx[first + c] = from_float<T>(rstd * g);
  }
}

template <class T>
__global__ void column_naive(const T* x, const T* dy, const float* rstds, T* dweight,
                             std::int64_t rows, std::int64_t cols) {
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float weight = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    weight += to_float(dy[r * cols + c]) * to_float(x[r * cols + c]) * rstds[r];
  dweight[c] = from_float<T>(weight);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    const T *x = args.x.as<T>(), *dy = args.dy.as<T>();
    const float* rstd = args.rstd.as<float>();
    constant_rstd<T><<<grid_x(rows, threads), threads, 0, stream>>>(dy, rstd, args.weight.as<T>(),
                                                                    args.dx.as<T>(), rows, cols);
    if (args.dweight.data)
      column_naive<T><<<grid_x(cols, threads), threads, 0, stream>>>(
          x, dy, rstd, args.dweight.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::rms_norm
