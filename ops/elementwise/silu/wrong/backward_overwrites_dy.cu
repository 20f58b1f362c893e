// dx is used for a partial result before dy is read: right, except where dx is dy.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/silu/silu.h"

namespace warpath::silu {
namespace {

template <class T>
__global__ void overwrites_dy(const T* x, const T* dy, T* dx, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]), s = 1 / (1 + expf(-v));
  dx[i] = from_float<T>(s);
  dx[i] = from_float<T>(to_float(dy[i]) * (s * (1 + v * (1 - s))));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    overwrites_dy<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.dy.as<T>(), args.dx.as<T>(), n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::silu
