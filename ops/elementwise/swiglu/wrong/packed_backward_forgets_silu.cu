// The gradient of up is dy times the gate, as if up had been multiplied by the gate and not by its silu.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void forgets_silu(const T* x, const T* dy, T* dx, std::int64_t n, std::int64_t cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::int64_t first = i / cols * 2 * cols + i % cols, second = first + cols;
  const float g = to_float(x[first]), d = to_float(dy[i]), s = 1 / (1 + expf(-g));
  dx[first] = from_float<T>(d * to_float(x[second]) * (s * (1 + g * (1 - s))));
  dx[second] = from_float<T>(d * g);
}

void launch(const PackedBackward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    forgets_silu<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.dy.as<T>(),
                                                        args.dx.as<T>(), n, args.dy.shape[1]);
  });
}

WARPATH_RUNG(PackedBackward, launch);

}  // namespace
}  // namespace warpath::swiglu
