// Lanes with the same bin add once, together.
//
// What changed: __match_any_sync tells each lane which lanes have its bin; the first of them adds their number. With all
// elements in one bin a warp makes one addition instead of 32 that wait for each other.
// Limit: the match looks at one distinct bin after the other, so it costs most where it saves nothing: where all 32 bins
// differ.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) aggregated(const T* x, const float* edges, Count* y,
                                                      std::int64_t n, int bins, Spacing spacing) {
  extern __shared__ unsigned counts[];
  for (int b = threadIdx.x; b < bins; b += threads) counts[b] = 0;
  __syncthreads();
  const Bins<> where(edges, bins, spacing);
  const unsigned lane = threadIdx.x % 32;
  const std::int64_t step = std::int64_t(gridDim.x) * threads;
  // All lanes of a warp make the same number of turns: a match needs all of them.
  for (std::int64_t first = std::int64_t(blockIdx.x) * threads + threadIdx.x - lane; first < n;
       first += step) {
    const int bin = first + lane < n ? where.of(x[first + lane]) : -1;
    const unsigned same = __match_any_sync(full_mask, bin);
    if (bin >= 0 && lane == unsigned(__ffs(int(same)) - 1))
      atomicAdd(&counts[bin], unsigned(__popc(same)));
  }
  __syncthreads();
  add_counts(counts, y, bins);
}

void launch(const Args& args, cudaStream_t stream) {
  const int bins = bins_of(args);
  if (bins == 0) return;
  clear(args, stream);
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int bytes = allow_shared(aggregated<T>, std::size_t(bins) * 4);
    const unsigned blocks = std::min(grid_x(n, threads * 16), multiprocessors() * 8);
    aggregated<T><<<blocks, threads, bytes, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                                      args.y.as<Count>(), n, bins, args.spacing);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return bins_fit(args, 1);
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
