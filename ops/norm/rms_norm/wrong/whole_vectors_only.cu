// The sum takes four elements at a time and forgets the last cols % 4 of a row.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

template <class T>
__global__ void whole_vectors_only(const T* x, const T* weight, T* y, float* rstds, float eps,
                                   std::int64_t cols) {
  const std::int64_t row = blockIdx.x;
  x += row * cols;
  y += row * cols;
  float squares = 0;
  for (std::int64_t c = threadIdx.x * 4; c + 4 <= cols; c += 32 * 4)
    for (int n = 0; n < 4; ++n) squares += to_float(x[c + n]) * to_float(x[c + n]);
  const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
  for (std::int64_t c = threadIdx.x; c < cols; c += 32)
    y[c] = from_float<T>(to_float(x[c]) * rstd * (weight ? to_float(weight[c]) : 1.0f));
  if (threadIdx.x == 0 && rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    whole_vectors_only<T><<<grid_x(rows, 1), 32, 0, stream>>>(args.x.as<T>(), args.weight.as<T>(),
                                                              args.y.as<T>(), args.rstd.as<float>(),
                                                              static_cast<float>(args.eps), cols);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::rms_norm
