// One block, one channel: 256 threads read neighbouring elements.
//
// What changed: the threads of a block share a channel, so that loads are coalesced within the planes (NCHW), and their
// sums meet by shuffles and one barrier.
// Limit: x is read three times, one element per load, and 64 channels keep 64 of 132 SMs busy. In NHWC neighbouring
// threads read elements a pitch apart: of every sector of 32 bytes one element is used.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/batch_norm/problem.cuh"

namespace warpath::batch_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) block_per_channel(const norm::GroupForward<T, float> p) {
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
  if (threadIdx.x == 0) p.keep(channel, mean, squares);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t channels = args.shape().groups;
  if (channels == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    block_per_channel<T><<<grid_x(channels, 1), threads, 0, stream>>>(problem<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::batch_norm
