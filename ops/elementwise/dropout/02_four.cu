// One thread, four elements: every word of a generator's call is used.
//
// What changed: the four elements that share a call belong to one thread. A quarter of the calls are
// left, and the mask is the same.
// Limit: the accesses. Neighbouring threads are four elements apart, so each of the four loads of a
// warp touches all the sectors that one wide load would.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void four(const T* x, const T* residual, T* y, Mask<std::uint64_t> mask,
                     std::int64_t n) {
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group * 4 >= n) return;
  const PhiloxWords words = mask.words(group);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::int64_t i = group * 4 + k;
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
    constexpr int threads = 256;
    four<T><<<grid_x(n, 4 * threads), threads, 0, stream>>>(args.x.as<T>(), args.residual.as<T>(),
                                                            args.y.as<T>(), mask, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::dropout
