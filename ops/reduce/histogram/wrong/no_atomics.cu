// "A copy per warp needs no atomics, its lanes run in step": just then two lanes with the same bin read the same count, and
// both store it plus one.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 128, warps = threads / 32;

template <class T>
__global__ void no_atomics(const T* x, const float* edges, Count* y, std::int64_t n, int bins,
                           Spacing spacing) {
  extern __shared__ unsigned counts[];
  for (int b = threadIdx.x; b < warps * bins; b += threads) counts[b] = 0;
  __syncthreads();
  const Bins<> where(edges, bins, spacing);
  unsigned* const mine = counts + threadIdx.x / 32 * bins;
  for (std::int64_t first = 0; first < n; first += threads) {
    const std::int64_t i = first + threadIdx.x;
    const int bin = i < n ? where.of(x[i]) : -1;
    const unsigned before = bin >= 0 ? mine[bin] : 0;
    __syncwarp();
    if (bin >= 0) mine[bin] = before + 1;
    __syncwarp();
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += threads) {
    Count sum = 0;
    for (int w = 0; w < warps; ++w) sum += counts[w * bins + b];
    y[b] = sum;
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const int bins = bins_of(args);
  if (bins == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int bytes = allow_shared(no_atomics<T>, std::size_t(bins) * warps * 4);
    no_atomics<T><<<1, threads, bytes, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                                 args.y.as<Count>(), args.x.size(), bins,
                                                 args.spacing);
  });
}

std::string supports(const Args& args) {
  return bins_fit(args, warps);
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
