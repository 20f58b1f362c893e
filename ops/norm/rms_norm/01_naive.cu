// One thread, one row: the sum of squares, then the result, in two loops as on paper.
//
// No mean is subtracted, so one sum over the row is all that is needed before the first result.
// Limit: everything. Neighbouring threads read elements a whole row apart (no coalescing), x is read
// twice, and a few long rows keep a few threads busy.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

template <class T>
__global__ void naive(const T* x, const T* weight, T* y, float* rstds, float eps, std::int64_t rows,
                      std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float squares = 0;
  for (std::int64_t c = 0; c < cols; ++c) squares += to_float(x[c]) * to_float(x[c]);
  const float rstd = rsqrtf(squares / float(cols) + eps);
  for (std::int64_t c = 0; c < cols; ++c)
    y[c] = from_float<T>(to_float(x[c]) * rstd * (weight ? to_float(weight[c]) : 1.0f));
  if (rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    naive<T><<<grid_x(rows, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.weight.as<T>(), args.y.as<T>(), args.rstd.as<float>(),
        static_cast<float>(args.eps), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rms_norm
