// A byte per bin and thread, gathered once at the end: a thread that meets a bin 256 times has counted none of them.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 64, most = 256;

template <class T>
__global__ void full_bytes(const T* x, const float* edges, Count* y, std::int64_t n, int bins,
                           Spacing spacing) {
  __shared__ unsigned char counts[threads][most];
  for (int b = 0; b < bins; ++b) counts[threadIdx.x][b] = 0;
  const Bins<> where(edges, bins, spacing);
  for (std::int64_t i = threadIdx.x; i < n; i += threads) {
    const int bin = where.of(x[i]);
    if (bin >= 0) ++counts[threadIdx.x][bin];
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += threads) {
    Count sum = 0;
    for (int t = 0; t < threads; ++t) sum += counts[t][b];
    y[b] = sum;
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (bins_of(args) == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    full_bytes<T><<<1, threads, 0, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                             args.y.as<Count>(), args.x.size(), bins_of(args),
                                             args.spacing);
  });
}

std::string supports(const Args& args) {
  return bins_of(args) <= most ? "" : "counts at most 256 bins";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
