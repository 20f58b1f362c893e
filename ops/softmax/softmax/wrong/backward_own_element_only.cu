// The derivative of one element by itself, y (1 - y) dy: right for the diagonal of the Jacobian,
// which is not all of it.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/softmax/softmax/softmax.h"

namespace warpath::softmax {
namespace {

template <class T>
__global__ void own_element_only(const T* y, const T* dy, T* dx, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) dx[i] = from_float<T>(to_float(y[i]) * (1 - to_float(y[i])) * to_float(dy[i]));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    own_element_only<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.y.as<T>(), args.dy.as<T>(), args.dx.as<T>(), n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::softmax
