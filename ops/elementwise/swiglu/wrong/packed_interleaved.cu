// Gate and up side by side, element by element: how some other models pack them.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void interleaved(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(x[2 * i]);
  y[i] = from_float<T>(g / (1 + expf(-g)) * to_float(x[2 * i + 1]));
}

void launch(const Packed& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    interleaved<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Packed, launch);

}  // namespace
}  // namespace warpath::swiglu
