// exp(x) / (1 + exp(x)) is the sigmoid too, but exp(89) is infinite in float, and inf / inf is NaN.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/silu/silu.h"

namespace warpath::silu {
namespace {

template <class T>
__global__ void growing_power(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]), e = expf(v);
  y[i] = from_float<T>(v * (e / (1 + e)));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    growing_power<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::silu
