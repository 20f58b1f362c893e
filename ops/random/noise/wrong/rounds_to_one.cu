// Uniform numbers of 24 digits rounded to the type: in bf16 every 512th is 1, and log(1 - y) is infinite.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

template <class T>
__global__ void rounds_to_one(T* y, Draw<std::uint64_t> draw, Distribution distribution,
                              std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float four[4];
  draw_four<float>(four, draw, distribution, i / 4);
  y[i] = from_float<T>(four[i % 4]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    rounds_to_one<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.y.as<T>(), draw_of(args), args.distribution, n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
