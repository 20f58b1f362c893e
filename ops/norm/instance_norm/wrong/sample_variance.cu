// The variance of a sample, divided by n - 1, as torch.var gives it: instance norm divides by n.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/instance_norm/problem.cuh"

namespace warpath::instance_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) sample_variance(const norm::GroupForward<T> p) {
  __shared__ float sum_slots[threads / 32], square_slots[threads / 32];
  const GroupShape s = p.shape;
  const std::int64_t group = blockIdx.x, start = s.start(group), size = s.group_size();
  const std::int64_t inner = s.inner, pitch = s.pitch();
  // In NCHW there is one run of neighbours, in NHWC a run per position, of one element.
  const auto place = [&](std::int64_t e) { return start + e / inner * pitch + e % inner; };
  float sum = 0;
  for (std::int64_t e = threadIdx.x; e < size; e += threads) sum += to_float(p.x[place(e)]);
  sum = block_reduce<threads>(sum, Sum{}, sum_slots);
  const float mean = size > 0 ? sum / float(size) : 0.0f;
  float squares = 0;
  for (std::int64_t e = threadIdx.x; e < size; e += threads) {
    const float d = to_float(p.x[place(e)]) - mean;
    squares += d * d;
  }
  squares = block_reduce<threads>(squares, Sum{}, square_slots);
  squares *= float(size) / float(size - 1);
  const float rstd = rsqrtf(squares / float(size) + p.eps);
  const std::int64_t channel = group % s.groups;
  const float w = weight_of(p.weight, channel), b = bias_of(p.bias, channel);
  for (std::int64_t e = threadIdx.x; e < size; e += threads) {
    const float z = (to_float(p.x[place(e)]) - mean) * rstd * w + b;
    p.y[place(e)] = from_float<T>(activate(z, p.activation));
  }
  if (threadIdx.x == 0) p.keep(group, mean, squares);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t groups = args.shape().all_groups();
  if (groups == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    sample_variance<T><<<grid_x(groups, 1), threads, 0, stream>>>(problem<T>(args));
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::instance_norm
