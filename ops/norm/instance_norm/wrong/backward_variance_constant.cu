// rstd taken for a constant: dx without the term that comes from the variance.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/instance_norm/problem.cuh"

namespace warpath::instance_norm {
namespace {

template <class T>
__global__ void plane_naive(const norm::GroupBackward<T> p) {
  const GroupShape s = p.shape;
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group >= s.all_groups()) return;
  const std::int64_t start = s.start(group), channel = group % s.groups;
  const float w = weight_of(p.weight, channel), b = bias_of(p.bias, channel);
  const float mean = p.means[group], rstd = p.rstds[group];
  // f(element, its normalised value, dz * weight) for each element of the plane.
  const auto for_each = [&](auto f) {
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t i = 0; i < s.inner; ++i) {
        const std::int64_t at = start + o * s.pitch() + i;
        const float n = (to_float(p.x[at]) - mean) * rstd;
        f(at, n, activation_gradient(to_float(p.dy[at]), n * w + b, p.activation) * w);
      }
  };
  float sum = 0;
  for_each([&](std::int64_t, float, float g) { sum += g; });
  sum /= float(s.group_size());
  for_each([&](std::int64_t at, float, float g) { p.dx[at] = from_float<T>(rstd * (g - sum)); });
}

template <class T>
__global__ void channel_naive(const norm::GroupBackward<T> p) {
  const GroupShape s = p.shape;
  const std::int64_t c = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (c >= s.all_channels()) return;
  const float w = weight_of(p.weight, c), b = bias_of(p.bias, c);
  float weight = 0, bias = 0;
  for (std::int64_t image = 0; image < s.batch; ++image) {
    const std::int64_t group = image * s.groups + c;
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t i = 0; i < s.inner; ++i) {
        const std::int64_t at = (image * s.outer + o) * s.pitch() + c * s.inner + i;
        const float n = (to_float(p.x[at]) - p.means[group]) * p.rstds[group];
        const float dz = activation_gradient(to_float(p.dy[at]), n * w + b, p.activation);
        weight += dz * n;
        bias += dz;
      }
  }
  if (p.dweight) p.dweight[c] = from_float<T>(weight);
  if (p.dbias) p.dbias[c] = from_float<T>(bias);
}

void launch(const Backward& args, cudaStream_t stream) {
  const GroupShape s = args.shape();
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    const auto p = problem<T>(args);
    if (s.all_groups() > 0)
      plane_naive<T><<<grid_x(s.all_groups(), threads), threads, 0, stream>>>(p);
    if (s.all_channels() > 0)
      channel_naive<T><<<grid_x(s.all_channels(), threads), threads, 0, stream>>>(p);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::instance_norm
