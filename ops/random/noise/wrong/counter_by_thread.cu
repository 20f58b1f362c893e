// The counter is the thread's place in the grid, and its numbers go to elements a grid apart: good random numbers, until
// the launch shape changes. Another GPU, or another rung, then draws other ones from the same seed.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

template <class T>
__global__ void counter_by_thread(T* y, Draw<std::uint64_t> draw, Distribution distribution,
                                  std::int64_t n) {
  const std::int64_t threads = std::int64_t(gridDim.x) * blockDim.x;
  const std::int64_t thread = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  float four[4];
  draw_four<T>(four, draw, distribution, thread);
  for (int k = 0; k < 4; ++k)
    if (k * threads + thread < n) y[k * threads + thread] = from_float<T>(four[k]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    counter_by_thread<T>
        <<<grid_x(n, 1024), 256, 0, stream>>>(args.y.as<T>(), draw_of(args), args.distribution, n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
