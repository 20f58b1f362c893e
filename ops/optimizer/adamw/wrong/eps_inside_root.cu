// eps is added under the root: sqrt(1e-8) is 1e-4, and small gradients are no longer scaled up.
#include "core/host/launch.h"
#include "ops/optimizer/adamw/update.cuh"

namespace warpath::adamw {
namespace {

template <class T>
__global__ void eps_inside_root(Arrays<T> a, std::int64_t n, int index, Step given) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Step step = given.now();
  float weight = a.master ? a.master[i] : to_float(a.p[i]);
  const float g = step.scale() * to_float(a.g[i]);
  a.m[i] = step.beta1 * a.m[i] + step.rest1 * g;
  a.v[i] = step.beta2 * a.v[i] + step.rest2 * g * g;
  weight = step.keep(index) * weight -
           step.size * a.m[i] / sqrtf(a.v[i] * step.root * step.root + step.eps);
  if (a.master) a.master[i] = weight;
  a.p[i] = from_float<T>(weight);
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
      eps_inside_root<T><<<grid_x(n, 256), 256, 0, stream>>>(a, n, int(t), step);
    }
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::adamw
