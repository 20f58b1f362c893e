// The derivative of the sigmoid is forgotten: dy * s, as if s did not depend on x.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/silu/silu.h"

namespace warpath::silu {
namespace {

template <class T>
__global__ void sigmoid_is_constant(const T* x, const T* dy, T* dx, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  dx[i] = from_float<T>(to_float(dy[i]) / (1 + expf(-to_float(x[i]))));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sigmoid_is_constant<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.dy.as<T>(), args.dx.as<T>(), n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::silu
