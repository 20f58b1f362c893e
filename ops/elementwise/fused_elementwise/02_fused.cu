// One kernel for all steps: what is in between stays in a register.
//
// What changed: each thread takes its element through all four steps. x and the residual are read once, y is written once, and
// no scratch is needed. The bias is read by every row, but it is short and stays in the caches.
// Limit: small loads, and a division per element: the column is the index modulo the columns.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/fused_elementwise/activation.cuh"

namespace warpath::fused_elementwise {
namespace {

template <class T>
__global__ void fused(const T* x, const T* bias, const T* residual, T* y, std::int64_t n,
                      std::int64_t cols, Activation activation, float scale) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float z = to_float(x[i]);
  if (bias) z += to_float(bias[i % cols]);
  z = activated(z, activation);
  if (residual) z += to_float(residual[i]);
  y[i] = from_float<T>(scale * z);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    fused<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.bias.as<T>(), args.residual.as<T>(), args.y.as<T>(), n,
        args.x.shape[1], args.activation, float(args.scale));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::fused_elementwise
