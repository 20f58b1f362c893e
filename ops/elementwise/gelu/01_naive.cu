// One thread, one element: the definition, with erff or tanhf.
//
// Limit: one small load in flight per thread.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/gelu/textbook.cuh"

namespace warpath::gelu {
namespace {

template <class Form, class T>
__global__ void naive(const T* x, T* y, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = from_float<T>(Form::forward(to_float(x[i])));
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_form(args.approximate, [&](auto form) {
      constexpr int threads = 256;
      naive<decltype(form), T>
          <<<grid_x(n, threads), threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), n);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::gelu
