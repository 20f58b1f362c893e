// One thread, four elements: every word of a call and both numbers of a pair are used.
//
// What changed: the four elements of a call belong to one thread. A quarter of the calls, the logarithms,
// the roots and the sines is left, and the numbers are the same.
// Limit: still the arithmetic, and the stores. Neighbouring threads are four elements apart, so each of
// the four stores of a warp touches all the sectors that one wide store would.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

template <class T>
__global__ void four(T* y, Draw<std::uint64_t> draw, Distribution distribution, std::int64_t n) {
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group * 4 >= n) return;
  float drawn[4];
  draw_four<T>(drawn, draw, distribution, group);
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (group * 4 + k < n) y[group * 4 + k] = from_float<T>(drawn[k]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  const auto draw = draw_of(args);
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    four<T><<<grid_x(n, 4 * threads), threads, 0, stream>>>(args.y.as<T>(), draw, args.distribution,
                                                            n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
