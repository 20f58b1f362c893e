// One thread, one channel: the mean, the variance, the result, in three loops as on paper.
//
// The elements of a channel are one plane per image, a pitch apart. The running statistics take a part of the new
// ones, of the variance the unbiased estimate.
// Limit: everything. There are as many threads as channels, neighbouring threads read elements a whole plane apart, and
// x is read three times.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/batch_norm/problem.cuh"

namespace warpath::batch_norm {
namespace {

template <class T>
__global__ void naive(const norm::GroupForward<T, float> p) {
  const GroupShape s = p.shape;
  const std::int64_t channel = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (channel >= s.groups) return;
  const std::int64_t start = channel * s.inner;
  const float n = float(s.group_size());
  float sum = 0;
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t i = 0; i < s.inner; ++i) sum += to_float(p.x[start + o * s.pitch() + i]);
  const float mean = n > 0.0f ? sum / n : 0.0f;
  float squares = 0;
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      const float d = to_float(p.x[start + o * s.pitch() + i]) - mean;
      squares += d * d;
    }
  const float rstd = p.keep(channel, mean, squares);
  const float w = weight_of(p.weight, channel), b = bias_of(p.bias, channel);
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      const std::int64_t at = start + o * s.pitch() + i;
      const float z = (to_float(p.x[at]) - mean) * rstd * w + b;
      p.y[at] = from_float<T>(activate(z, p.activation));
    }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t channels = args.shape().groups;
  if (channels == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    naive<T><<<grid_x(channels, threads), threads, 0, stream>>>(problem<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::batch_norm
