// The generator is "advanced" between the two passes: the gradient has a fresh mask of the right
// density, and training goes on as if nothing were wrong, only worse.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/mask.cuh"

namespace warpath::dropout {
namespace {

template <class T>
__global__ void next_offset(const T* dy, T* dx, Mask<std::uint64_t> mask, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  mask.offset += 1;
  dx[i] = from_float<T>(mask.apply(to_float(dy[i]), mask.words(i / 4).at[i % 4]));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dy.size();
  const auto mask = mask_of(args);
  if (n == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    next_offset<T><<<grid_x(n, 256), 256, 0, stream>>>(args.dy.as<T>(), args.dx.as<T>(), mask, n);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::dropout
