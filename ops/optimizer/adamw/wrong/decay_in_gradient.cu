// The decay is added to the gradient, as L2 regularisation: then it is divided by the root of v, and the weights that move
// most decay least. This is Adam, not AdamW.
#include "core/host/launch.h"
#include "ops/optimizer/adamw/update.cuh"

namespace warpath::adamw {
namespace {

template <class T>
__global__ void decay_in_gradient(Arrays<T> a, std::int64_t n, int index, Step given) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Step step = given.now();
  const float weight = a.master ? a.master[i] : to_float(a.p[i]);
  float next = weight;
  const float decay = 1 - step.keep(index);
  step.update(next, step.scale() * to_float(a.g[i]) + decay * weight, a.m[i], a.v[i], 1.0f);
  if (a.master) a.master[i] = next;
  a.p[i] = from_float<T>(next);
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
      decay_in_gradient<T><<<grid_x(n, 256), 256, 0, stream>>>(a, n, int(t), step);
    }
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::adamw
