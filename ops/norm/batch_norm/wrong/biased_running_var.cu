// The running variance from the variance that normalises, over n: PyTorch keeps the unbiased estimate, over n - 1.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/batch_norm/problem.cuh"

namespace warpath::batch_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    biased_running_var(const norm::GroupForward<T, float> p) {
  __shared__ float sum_slots[threads / 32], square_slots[threads / 32];
  const GroupShape s = p.shape;
  const std::int64_t channel = blockIdx.x, start = channel * s.inner, size = s.group_size();
  const std::int64_t inner = s.inner, pitch = s.pitch();
  // In NCHW there is one plane per image, in NHWC one element per position.
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
  const float rstd = rsqrtf(squares / float(size) + p.eps);
  const float w = weight_of(p.weight, channel), b = bias_of(p.bias, channel);
  for (std::int64_t e = threadIdx.x; e < size; e += threads) {
    const float z = (to_float(p.x[place(e)]) - mean) * rstd * w + b;
    p.y[place(e)] = from_float<T>(activate(z, p.activation));
  }
  if (threadIdx.x == 0) {
    const float old = p.running_var ? p.running_var[channel] : 1.0f;
    p.keep(channel, mean, squares);
    const float part = size > 0 ? p.momentum : 0.0f, variance = squares / fmaxf(float(size), 1.0f);
    if (p.new_var) p.new_var[channel] = (1 - part) * old + part * variance;
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t channels = args.shape().groups;
  if (channels == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    biased_running_var<T><<<grid_x(channels, 1), threads, 0, stream>>>(problem<T>(args));
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::batch_norm
