// A histogram per block in shared memory, added to the result once.
//
// What changed: the atomics go to the SM's own memory, which all other SMs leave alone, and are 32 bits wide. Each block takes
// many elements and then adds its counts to y: as many global atomics as bins, not as elements.
// Limit: one small load in flight per thread. Lanes that share a bin cost nothing on an H200: additions of 1 are counted together.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) shared_copy(const T* x, const float* edges, Count* y,
                                                       std::int64_t n, int bins, Spacing spacing) {
  extern __shared__ unsigned counts[];
  for (int b = threadIdx.x; b < bins; b += threads) counts[b] = 0;
  __syncthreads();
  const Bins<> where(edges, bins, spacing);
  const std::int64_t step = std::int64_t(gridDim.x) * threads;
  for (std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x; i < n; i += step) {
    const int bin = where.of(x[i]);
    if (bin >= 0) atomicAdd(&counts[bin], 1u);
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
    const int bytes = allow_shared(shared_copy<T>, std::size_t(bins) * 4);
    const unsigned blocks = std::min(grid_x(n, threads * 16), multiprocessors() * 8);
    shared_copy<T><<<blocks, threads, bytes, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
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
