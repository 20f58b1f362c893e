// The counter is the thread's place in the grid and the words go to its elements in the order in which
// it handles them: a right mask, until the launch shape or the rung changes. The backward pass has
// another one.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void mask_by_thread(const T* x, const T* residual, T* y, Mask<std::uint64_t> mask,
                               std::int64_t n) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t thread = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const PhiloxWords words = mask.words(thread);
  for (int k = 0; k < 4; ++k) {
    const std::int64_t i = k * threads + thread;
    if (i >= n) return;
    const float kept = mask.apply(to_float(x[i]), words.at[k]);
    y[i] = from_float<T>(residual ? to_float(residual[i]) + kept : kept);
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    mask_by_thread<T><<<grid_x(n, 1024), 256, 0, stream>>>(args.x.as<T>(), args.residual.as<T>(),
                                                           args.y.as<T>(), mask, n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::dropout
