// The channel as the index modulo the number of channels: what it is in NHWC, and not in NCHW.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/batch_norm/problem.cuh"

namespace warpath::batch_norm {
namespace {

template <class T>
__global__ void inference_channels_last(const norm::GroupForward<T, float> p, std::int64_t size) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t c = i % p.shape.groups;
  const float n = (to_float(p.x[i]) - p.running_mean[c]) / sqrtf(p.running_var[c] + p.eps);
  const float z = n * weight_of(p.weight, c) + bias_of(p.bias, c);
  p.y[i] = from_float<T>(activate(z, p.activation));
}

void launch(const Inference& args, cudaStream_t stream) {
  const std::int64_t size = args.x.size();
  if (size == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    inference_channels_last<T>
        <<<grid_x(size, threads), threads, 0, stream>>>(problem<T>(args), size);
  });
}

WARPATH_RUNG(Inference, launch);

}  // namespace
}  // namespace warpath::batch_norm
