// The offset is added to the element's index: streams of neighbouring offsets hold the same numbers, shifted.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

template <class T>
__global__ void overlapping_streams(T* y, Draw<std::uint64_t> draw, std::int64_t offset,
                                    Distribution distribution, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float four[4];
  draw_four<T>(four, draw, distribution, i / 4 + offset);
  y[i] = from_float<T>(four[i % 4]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  auto draw = draw_of(args);
  draw.offset = 0;
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    overlapping_streams<T><<<grid_x(n, 256), 256, 0, stream>>>(args.y.as<T>(), draw, args.offset,
                                                               args.distribution, n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
