// One thread, four elements: every word of a generator's call is used.
//
// What changed: a quarter of the calls are left.
// Limit: neighbouring threads are four elements apart, so each of the four loads of a warp touches all
// the sectors that one wide load would.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void four(const T* dy, T* dx, Mask<std::uint64_t> mask, std::int64_t n) {
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group * 4 >= n) return;
  const PhiloxWords words = mask.words(group);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const std::int64_t i = group * 4 + k;
    if (i >= n) return;
    dx[i] = from_float<T>(mask.apply(to_float(dy[i]), words.at[k]));
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    four<T>
        <<<grid_x(n, 4 * threads), threads, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), mask, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::dropout
