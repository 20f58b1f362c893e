// Scale and shift folded and kept in the type of x, as they are in a layer that was converted as a whole.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/norm/batch_norm/problem.cuh"

namespace warpath::batch_norm {
namespace {

template <class T>
__global__ void inference_scale_rounded(const norm::GroupForward<T, float> p, std::int64_t size) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t c = i / p.shape.inner % p.shape.groups;
  const float scale = weight_of(p.weight, c) * rsqrtf(p.running_var[c] + p.eps);
  const T folded = from_float<T>(scale);
  const T shift = from_float<T>(bias_of(p.bias, c) - p.running_mean[c] * scale);
  const float z = to_float(p.x[i]) * to_float(folded) + to_float(shift);
  p.y[i] = from_float<T>(activate(z, p.activation));
}

void launch(const Inference& args, cudaStream_t stream) {
  const std::int64_t size = args.x.size();
  if (size == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    inference_scale_rounded<T>
        <<<grid_x(size, threads), threads, 0, stream>>>(problem<T>(args), size);
  });
}

WARPATH_RUNG(Inference, launch);

}  // namespace
}  // namespace warpath::batch_norm
