// Bias is corrected as in the first step, in every step: the weights move too slowly ever after.
#include "core/host/launch.h"
#include "ops/optimizer/adamw/update.cuh"

namespace warpath::adamw {
namespace {

template <class T>
__global__ void first_step_for_ever(Arrays<T> a, std::int64_t n, int index, Step given) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Step step = given.now();
  step.root = rsqrtf(step.rest2);
  a.update(i, step, step.scale(), step.keep(index));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.p.count == 0) return;
  const Step step = Step::of(args);
  dispatch_float(args.p[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t t = 0; t < args.p.count; ++t) {
      const std::int64_t n = args.p[t].size();
      if (n == 0) continue;
      const Arrays<T> a{args.p[t].as<T>(), args.g[t].as<T>(), args.m[t].as<float>(),
                        args.v[t].as<float>(),
                        args.master.at ? args.master[t].as<float>() : nullptr};
      first_step_for_ever<T><<<grid_x(n, 256), 256, 0, stream>>>(a, n, int(t), step);
    }
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::adamw
