// One thread, one element: silu and the product in one kernel.
//
// As two kernels, silu(gate) would be written and read again: five arrays would move instead of three.
// Limit: two small loads in flight per thread.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/swiglu/swiglu.h"

namespace warpath::swiglu {
namespace {

template <class T>
__global__ void naive(const T* gate, const T* up, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = to_float(gate[i]);
  y[i] = from_float<T>(g / (1 + expf(-g)) * to_float(up[i]));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(n, threads), threads, 0, stream>>>(args.gate.as<T>(), args.up.as<T>(),
                                                         args.y.as<T>(), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::swiglu
