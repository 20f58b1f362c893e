// 16-bit counts, two to a word, that nobody takes anything off: the 65536th element of a bin is counted in its neighbour.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    sixteen_bits_full(const T* x, const float* edges, Count* y, std::int64_t n, int bins,
                      Spacing spacing) {
  extern __shared__ unsigned words[];
  for (int w = threadIdx.x; w < (bins + 1) / 2; w += threads) words[w] = 0;
  __syncthreads();
  const Bins<> where(edges, bins, spacing);
  for (std::int64_t i = threadIdx.x; i < n; i += threads) {
    const int bin = where.of(x[i]);
    if (bin >= 0) atomicAdd(&words[bin / 2], 1u << bin % 2 * 16);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += threads) y[b] = words[b / 2] >> b % 2 * 16 & 0xffffu;
}

void launch(const Args& args, cudaStream_t stream) {
  const int bins = bins_of(args);
  if (bins == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int bytes = allow_shared(sixteen_bits_full<T>, std::size_t(bins + 1) / 2 * 4);
    sixteen_bits_full<T><<<1, threads, bytes, stream>>>(args.x.as<const T>(),
                                                        args.edges.as<float>(), args.y.as<Count>(),
                                                        args.x.size(), bins, args.spacing);
  });
}

std::string supports(const Args& args) {
  return enough_shared_memory(std::size_t(args.y.size() + 1) / 2 * 4);
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
