// tanh as (e - 1) / (e + 1) with e = exp(2 u): infinity over infinity where x is large.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/gelu/textbook.cuh"

namespace warpath::gelu {
namespace {

template <class T>
__global__ void tanh_by_powers(const T* x, T* y, std::int64_t n, bool tanh) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]);
  const float e = expf(2 * ByTanh::root * (v + ByTanh::cubic * v * v * v));
  const float by_tanh = 0.5f * v * (1 + (e - 1) / (e + 1));
  y[i] = from_float<T>(tanh ? by_tanh : ByErf::forward(v));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tanh_by_powers<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n,
                                                          args.approximate == Approximate::tanh);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::gelu
