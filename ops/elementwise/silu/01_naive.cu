// One thread, one element: the formula as on paper.
//
// Limit: one small load in flight per thread.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/silu/silu.h"

namespace warpath::silu {
namespace {

template <class T>
__global__ void naive(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = to_float(x[i]);
  y[i] = from_float<T>(v / (1 + expf(-v)));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<T><<<grid_x(n, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::silu
