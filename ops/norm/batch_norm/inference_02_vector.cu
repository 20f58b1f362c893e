// A thread stays in its channel: scale and shift once, then 16 bytes per access.
//
// What changed: in NCHW a block works inside planes, in NHWC a thread has the same channels in every row
// (split_forward.cuh, whose last kernel this is). What belongs to a channel is computed once per thread, and four loads are
// in flight.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "ops/norm/batch_norm/problem.cuh"
#include "ops/norm/split_forward.cuh"

namespace warpath::batch_norm {
namespace {

struct RunningStatistics {
  const float *means, *variances;
  float eps;
  __device__ __forceinline__ float2 operator()(std::int64_t channel) const {
    return {means[channel], rsqrtf(variances[channel] + eps)};
  }
};

void launch(const Inference& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto p = problem<T>(args);
    const RunningStatistics running{p.running_mean, p.running_var, p.eps};
    const auto with = [&](auto width) {
      norm::launch_apply<T, decltype(width)::value>(p, running, stream);
    };
    norm::with_group_width<T>(p.shape, with, p.x, p.y);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Inference& args) {
  return norm::split_takes(args.shape());
}

WARPATH_RUNG(Inference, launch, .supports = supports);

}  // namespace
}  // namespace warpath::batch_norm
