// A histogram per warp.
//
// What changed: the warps of a block no longer meet at the same counts. In the end the block adds its eight histograms.
// Limit: still one small load in flight per thread. Eight copies need eight times the memory, so with
// many bins fewer blocks fit on an SM.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 256, warps = threads / 32;

template <class T>
__global__ void __launch_bounds__(threads) copy_a_warp(const T* x, const float* edges, Count* y,
                                                       std::int64_t n, int bins, Spacing spacing) {
  extern __shared__ unsigned counts[];  // (warps, bins)
  for (int b = threadIdx.x; b < warps * bins; b += threads) counts[b] = 0;
  __syncthreads();
  const Bins<> where(edges, bins, spacing);
  unsigned* const mine = counts + threadIdx.x / 32 * bins;
  const std::int64_t step = std::int64_t(gridDim.x) * threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += step) {
    const int bin = where.of(x[i]);
    if (bin >= 0) atomicAdd(&mine[bin], 1u);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += threads) {
    unsigned sum = 0;
    for (int w = 0; w < warps; ++w) sum += counts[w * bins + b];
    if (sum > 0) atomicAdd(&y[b], Count(sum));
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const int bins = bins_of(args);
  if (bins == 0) return;
  clear(args, stream);
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int bytes = allow_shared(copy_a_warp<T>, std::size_t(bins) * warps * 4);
    const unsigned blocks = std::min(grid_x(n, threads * 16), multiprocessors() * 8);
    copy_a_warp<T><<<blocks, threads, bytes, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                                       args.y.as<Count>(), n, bins, args.spacing);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return bins_fit(args, warps);
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
