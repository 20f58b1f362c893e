// The slope of the activation taken at n * weight: z has a bias as well.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/batch_norm/problem.cuh"

namespace warpath::batch_norm {
namespace {

template <class T>
__global__ void backward_without_bias(const norm::GroupBackward<T, float> p) {
  const GroupShape s = p.shape;
  const std::int64_t channel = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (channel >= s.groups) return;
  const float w = weight_of(p.weight, channel);
  const float mean = p.means[channel], rstd = p.rstds[channel];
  // f(element, its normalised value, dz) for each element of the channel.
  const auto for_each = [&](auto f) {
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t i = 0; i < s.inner; ++i) {
        const std::int64_t at = o * s.pitch() + channel * s.inner + i;
        const float n = (to_float(p.x[at]) - mean) * rstd;
        f(at, n, activation_gradient(to_float(p.dy[at]), n * w, p.activation));
      }
  };
  float sum = 0, dot = 0;
  for_each([&](std::int64_t, float n, float dz) {
    sum += dz;
    dot += dz * n;
  });
  if (p.dweight) p.dweight[channel] = dot;
  if (p.dbias) p.dbias[channel] = sum;
  sum /= float(s.group_size());
  dot /= float(s.group_size());
  for_each([&](std::int64_t at, float n, float dz) {
    p.dx[at] = from_float<T>(rstd * w * (dz - sum - n * dot));
  });
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t channels = args.shape().groups;
  if (channels == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    backward_without_bias<T><<<grid_x(channels, threads), threads, 0, stream>>>(problem<T>(args));
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::batch_norm
