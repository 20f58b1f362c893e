// The logarithm of a uniform number in [0, 1): right sixteen million times, then infinite.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

template <class T>
__global__ void log_of_zero(T* y, Draw<std::uint64_t> draw, Distribution distribution,
                            std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const PhiloxWords words = draw.words(i / 4);
  const int pair = int(i % 4 / 2 * 2);
  const float radius = sqrtf(-2 * logf(uniform_float(words.at[pair])));
  float sine, cosine;
  sincospif(half_turns(words.at[pair + 1]), &sine, &cosine);
  float four[4];
  draw_four<T>(four, draw, distribution, i / 4);
  const float normal = draw.placed(radius * (i % 2 ? sine : cosine));
  y[i] = from_float<T>(distribution == Distribution::normal ? normal : four[i % 4]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  if (n == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    log_of_zero<T>
        <<<grid_x(n, 256), 256, 0, stream>>>(args.y.as<T>(), draw_of(args), args.distribution, n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::noise
