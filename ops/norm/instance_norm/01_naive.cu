// One thread, one channel of one image: the mean, the variance, the result, in three loops as on paper.
//
// In NCHW the channel is one run of `inner` neighbours, a plane; in NHWC it is `outer` single elements, a pitch apart.
// Limit: everything. Neighbouring threads read elements a whole plane apart (NCHW), and x is read three times.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/instance_norm/problem.cuh"

namespace warpath::instance_norm {
namespace {

template <class T>
__global__ void naive(const norm::GroupForward<T> p) {
  const GroupShape s = p.shape;
  const std::int64_t group = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (group >= s.all_groups()) return;
  const std::int64_t start = s.start(group), c = group % s.groups;
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
  const float rstd = p.keep(group, mean, squares);
  const float w = weight_of(p.weight, c), b = bias_of(p.bias, c);
  for (std::int64_t o = 0; o < s.outer; ++o)
    for (std::int64_t i = 0; i < s.inner; ++i) {
      const std::int64_t at = start + o * s.pitch() + i;
      const float z = (to_float(p.x[at]) - mean) * rstd * w + b;
      p.y[at] = from_float<T>(activate(z, p.activation));
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
}  // namespace warpath::instance_norm
