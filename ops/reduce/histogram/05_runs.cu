// Sixteen bytes per load, and a run of equal bins is counted in a register.
//
// What changed: a thread keeps four 16-byte loads in flight. It remembers its last bin and how often it came, and adds to
// memory only when the bin changes: for equal elements that is next to never, for different ones it costs one comparison,
// not a match among lanes. A block has as many copies as 32 KiB hold, at most one per warp.
// Limit: the shared memory's atomics. Lanes whose bins lie in the same bank take turns, on average about three of them for
// random bins.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 512, in_flight = 4;

struct Run {
  int bin = -1;
  unsigned count = 0;

  template <class Add>
  __device__ __forceinline__ void next(int now, Add&& add) {
    if (now != bin) {
      if (bin >= 0) add(bin, count);
      bin = now;
      count = 0;
    }
    ++count;
  }
};

template <Spacing S, class T>
__global__ void __launch_bounds__(threads)
    runs(const T* x, const float* edges, Count* y, std::int64_t n, int bins, int copies) {
  extern __shared__ unsigned counts[];  // (copies, bins)
  for (int b = threadIdx.x; b < copies * bins; b += threads) counts[b] = 0;
  __syncthreads();
  const Bins<S> where(edges, bins);
  unsigned* const mine = counts + int(threadIdx.x) / 32 % copies * bins;
  const auto add = [&](int bin, unsigned count) { atomicAdd(&mine[bin], count); };
  const Cut<T> cut(x, n);
  const T* const from = x + cut.head;
  constexpr int E = Cut<T>::per_load;
  constexpr std::int64_t round = threads * in_flight;
  Run run;
  for (std::int64_t v = blockIdx.x * round + threadIdx.x; v < cut.vectors; v += gridDim.x * round) {
    uint4 in[in_flight];
#pragma unroll
    for (int u = 0; u < in_flight; ++u)
      in[u] = load_16(from + (v + u * threads) * E, v + u * threads < cut.vectors);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (v + u * threads >= cut.vectors) break;
#pragma unroll(S == Spacing::uniform ? E : 1)
      for (int e = 0; e < E; ++e) run.next(where.of(element_of<T>(in[u], e)), add);
    }
  }
  if (blockIdx.x == 0) cut.for_the_rest(x, n, [&](T element) { run.next(where.of(element), add); });
  run.next(-1, add);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += threads) {
    unsigned sum = 0;
    for (int c = 0; c < copies; ++c) sum += counts[c * bins + b];
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
    const int copies = std::clamp(8192 / bins, 1, threads / 32);
    const unsigned blocks =
        std::min(grid_x(n, threads * in_flight * lanes_of_16<T>), multiprocessors() * 4);
    const auto run = [&](auto kernel) {
      const int bytes = allow_shared(kernel, std::size_t(copies) * bins * 4);
      kernel<<<blocks, threads, bytes, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                                 args.y.as<Count>(), n, bins, copies);
    };
    if (args.spacing == Spacing::uniform)
      run(runs<Spacing::uniform, T>);
    else
      run(runs<Spacing::any, T>);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return bins_fit(args, 1);
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
