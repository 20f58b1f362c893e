// fmaxf returns the number where one of its arguments is NaN: a broken network looks healthy.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/relu/relu.h"

namespace warpath::relu {
namespace {

template <class T>
__global__ void drops_nan(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = from_float<T>(fmaxf(to_float(x[i]), 0.0f));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    drops_nan<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::relu
