// silu(gate) is rounded to 16 bits before the product, as two kernels would do it.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void rounds_twice(const T* gate, const T* up, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(gate[i]);
  const T silu = from_float<T>(g / (1 + expf(-g)));
  y[i] = from_float<T>(to_float(silu) * to_float(up[i]));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    rounds_twice<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.gate.as<T>(), args.up.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::swiglu
