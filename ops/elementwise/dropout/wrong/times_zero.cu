// The mask as a factor of 0 or 1 / (1 - p): NaN and infinity survive being dropped, since 0 * inf is
// NaN; and with p = 1 everything is 0 * inf.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void times_zero(const T* x, const T* residual, T* y, Mask<std::uint64_t> mask,
                           std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t word = mask.words(i / 4).at[i % 4];
  const float factor = (mask.all || word < mask.threshold ? 0.0f : 1.0f) * mask.scale;
  const float kept = to_float(x[i]) * factor;
  y[i] = from_float<T>(residual ? to_float(residual[i]) + kept : kept);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    times_zero<T><<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<T>(), args.residual.as<T>(),
                                                      args.y.as<T>(), mask, n);
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::dropout
