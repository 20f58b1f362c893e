// Each step is rounded to the type of the tensors, as separate kernels would: up to several units in the last place off.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/fused_elementwise/activation.cuh"

namespace warpath::fused_elementwise {
namespace {

template <class T>
__global__ void rounds_between(const T* x, const T* bias, const T* residual, T* y, std::int64_t n,
                               std::int64_t cols, Activation activation, float scale) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T z = x[i];
  if (bias) z = from_float<T>(to_float(z) + to_float(bias[i % cols]));
  z = from_float<T>(activated(to_float(z), activation));
  if (residual) z = from_float<T>(to_float(z) + to_float(residual[i]));
  y[i] = from_float<T>(scale * to_float(z));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    rounds_between<T><<<grid_x(n, 256), 256, 0, stream>>>(
        args.x.as<T>(), args.bias.as<T>(), args.residual.as<T>(), args.y.as<T>(), n,
        args.x.shape[1], args.activation, float(args.scale));
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::fused_elementwise
