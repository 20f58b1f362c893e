// Squares in the type of the gradients: in f16, 300 squared is infinite and 0.0001 squared is zero.
#include "ops/optimizer/grad_norm/finish.cuh"

namespace warpath::grad_norm {
namespace {

constexpr int threads = 256;

// One block goes through one tensor after the other.
template <class T>
__global__ void squares_in_half(const T* g, std::int64_t n, bool first, bool last, float* total,
                                Results results) {
  __shared__ float slots[threads / 32];
  float sum = 0;
  for (std::int64_t i = threadIdx.x; i < n; i += threads)
    sum += to_float(from_float<T>(to_float(g[i]) * to_float(g[i])));
  sum = block_reduce<threads>(sum, Sum{}, slots);
  if (threadIdx.x != 0) return;
  *total = (first ? 0 : *total) + sum;
  if (last) results.write(*total);
}

void launch(const Args& args, cudaStream_t stream) {
  auto* const total = static_cast<float*>(args.scratch.data);
  const std::int64_t count = std::max<std::int64_t>(args.g.count, 1);
  dispatch_float(args.g.count ? args.g[0].dtype : DType::f32, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (std::int64_t t = 0; t < count; ++t)
      squares_in_half<T><<<1, threads, 0, stream>>>(args.g.count ? args.g[t].as<T>() : nullptr,
                                                    args.g.count ? args.g[t].size() : 0, t == 0,
                                                    t == count - 1, total, Results::of(args));
  });
}

WARPATH_RUNG(
    Args, launch, .scratch = [](const Args&) { return std::int64_t(4); });

}  // namespace
}  // namespace warpath::grad_norm
