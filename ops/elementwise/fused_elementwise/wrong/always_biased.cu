// A bias that is left out is read all the same.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/fused_elementwise/activation.cuh"

namespace warpath::fused_elementwise {
namespace {

template <class T>
__global__ void always_biased(const T* x, const T* bias, const T* residual, T* y, std::int64_t n,
                              std::int64_t cols, Activation activation, float scale) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float z = activated(to_float(x[i]) + to_float(bias[i % cols]), activation);
  if (residual) z += to_float(residual[i]);
  y[i] = from_float<T>(scale * z);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    always_biased<T><<<grid_x(n, 256), 256, 0, stream>>>(
        args.x.as<T>(), args.bias.as<T>(), args.residual.as<T>(), args.y.as<T>(), n,
        args.x.shape[1], args.activation, float(args.scale));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::fused_elementwise
