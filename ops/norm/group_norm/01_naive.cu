// One thread, one group: the mean, the variance, the result, in three loops as on paper.
//
// A group is `outer` runs of neighbouring elements: one run in NCHW, one run per position in NHWC. Weight and bias
// belong to channels, so the innermost loop runs inside one channel.
// Limit: everything. There are a few hundred groups and so a few hundred threads, neighbouring threads read
// elements a whole group apart, and x is read three times.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/group_norm/problem.cuh"

namespace warpath::group_norm {
namespace {

template <class T>
__global__ void naive(const norm::GroupForward<T> p) {
  const GroupShape s = p.shape;
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group >= s.all_groups()) return;
  const std::int64_t start = s.start(group), channels = group % s.groups * s.channels;
  const float n = float(s.group_size());
  float sum = 0;
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t r = 0; r < s.run(); ++r) sum += to_float(p.x[start + o * s.pitch() + r]);
  const float mean = n > 0.0f ? sum / n : 0.0f;
  float squares = 0;
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t r = 0; r < s.run(); ++r) {
      const float d = to_float(p.x[start + o * s.pitch() + r]) - mean;
      squares += d * d;
    }
  const float rstd = p.keep(group, mean, squares);
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t c = 0; c < s.channels; ++c) {
      const float w = weight_of(p.weight, channels + c), b = bias_of(p.bias, channels + c);
      for (std::int64_t i = 0; i < s.inner; ++i) {
        const std::int64_t at = start + o * s.pitch() + c * s.inner + i;
        const float z = (to_float(p.x[at]) - mean) * rstd * w + b;
        p.y[at] = from_float<T>(activate(z, p.activation));
      }
    }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t groups = args.shape().all_groups();
  if (groups == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    naive<T><<<grid_x(groups, threads), threads, 0, stream>>>(problem<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::group_norm
