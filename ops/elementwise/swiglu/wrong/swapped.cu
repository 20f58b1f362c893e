// silu of up times the gate: the halves of a packed row taken the other way round.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void swapped(const T* gate, const T* up, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float u = to_float(up[i]);
  y[i] = from_float<T>(u / (1 + expf(-u)) * to_float(gate[i]));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    swapped<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.gate.as<T>(), args.up.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::swiglu
