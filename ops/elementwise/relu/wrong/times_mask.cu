// The comparison as a factor of 0 or 1, "without a branch": zero times -inf is NaN, not zero.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/relu/relu.h"

namespace warpath::relu {
namespace {

template <class T>
__global__ void times_mask(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]);
  y[i] = from_float<T>(v * (v > 0));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    times_mask<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::relu
