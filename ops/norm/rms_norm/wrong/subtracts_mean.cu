// The mean is subtracted first, as layer norm does: the same for rows whose mean is near zero.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

template <class T>
__global__ void subtracts_mean(const T* x, const T* weight, T* y, float* rstds, float eps,
                               std::int64_t cols) {
  const std::int64_t row = blockIdx.x;
  x += row * cols;
  y += row * cols;
  float sum = 0, squares = 0;
  for (std::int64_t c = threadIdx.x; c < cols; c += 32) sum += to_float(x[c]);
  const float mean = warp_reduce(sum, Sum{}) / float(cols);
  for (std::int64_t c = threadIdx.x; c < cols; c += 32) {
    const float d = to_float(x[c]) - mean;
    squares += d * d;
  }
  const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
  for (std::int64_t c = threadIdx.x; c < cols; c += 32)
    y[c] = from_float<T>((to_float(x[c]) - mean) * rstd * (weight ? to_float(weight[c]) : 1.0f));
  if (threadIdx.x == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    subtracts_mean<T><<<grid_x(rows, 1), 32, 0, stream>>>(args.x.as<T>(), args.weight.as<T>(),
                                                          args.y.as<T>(), args.rstd.as<float>(),
                                                          static_cast<float>(args.eps), cols);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rms_norm
