// The sign of the wrong tensor decides: the gradient is rectified instead of masked.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/relu/relu.h"

namespace warpath::relu {
namespace {

template <class T>
__global__ void sign_of_dy(const T* dy, T* dx, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(dy[i]);
  dx[i] = from_float<T>(g <= 0 ? 0 : g);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sign_of_dy<T><<<grid_x(n, 256), 256, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::relu
