// One launch per tensor, one thread per weight.
//
// A loop over the list, as an optimiser is first written. Everything that happens to a weight happens in one kernel, so p, g,
// m and v are read once and written once.
// Limit: 148 launches for GPT-2, half of them for tensors of 768 weights, where three blocks have the GPU to themselves.
#include "core/host/launch.h"
#include "ops/optimizer/adamw/update.cuh"

namespace warpath::adamw {
namespace {

template <class T>
__global__ void one_tensor(Arrays<T> a, std::int64_t n, int index, Step given) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Step step = given.now();
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
      constexpr int threads = 256;
      one_tensor<T><<<grid_x(n, threads), threads, 0, stream>>>(a, n, int(t), step);
    }
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::adamw
