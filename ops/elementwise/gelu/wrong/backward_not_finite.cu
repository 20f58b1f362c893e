// The slope of the tanh form where x * x overflows: 0 times infinity.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/gelu/textbook.cuh"

namespace warpath::gelu {
namespace {

template <class T>
__global__ void not_finite(const T* x, const T* dy, T* dx, std::int64_t n, bool tanh) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]), t = ByTanh::tanh_of(v);
  const float slope =
      0.5f * (1 + t) + 0.5f * v * (1 - t * t) * ByTanh::root * (1 + 3 * ByTanh::cubic * v * v);
  dx[i] = from_float<T>(to_float(dy[i]) * (tanh ? slope : ByErf::slope(v)));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    not_finite<T><<<grid_x(n, 256), 256, 0, stream>>>(
        args.x.as<T>(), args.dy.as<T>(), args.dx.as<T>(), n, args.approximate == Approximate::tanh);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::gelu
