// The sigmoid is taken as a constant: silu'(x) = s, without x * s * (1 - s). Right at 0, and nearly right far above it.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void constant_sigmoid(const T* gate, const T* up, const T* dy, T* dgate, T* dup,
                                 std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(gate[i]), d = to_float(dy[i]), s = 1 / (1 + expf(-g));
  dgate[i] = from_float<T>(d * to_float(up[i]) * s);
  dup[i] = from_float<T>(d * (g * s));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size();
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constant_sigmoid<T><<<grid_x(n, 256), 256, 0, stream>>>(args.gate.as<T>(), args.up.as<T>(),
                                                            args.dy.as<T>(), args.dgate.as<T>(),
                                                            args.dup.as<T>(), n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::swiglu
