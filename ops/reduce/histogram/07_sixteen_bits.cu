// Up to 100k bins: 16-bit counts in shared memory, two to a word.
//
// What changed: 64 Ki counts of 32 bits are 256 KiB, more than a block can have; of 16 bits they are half of that. Such a
// count is full after 65535 elements. The thread whose addition takes a count over 32767 takes 32768 off it and adds them to y:
// one global atomic for 32 Ki elements. A block counts at most 32 Ki elements from one barrier to the next, so a count is
// back below 32768 before it can overflow. Runs of equal bins are counted in a register, as in 05, up to 16.
// Limit: one block per SM, which clears and adds up 64 Ki counts: worthwhile for many elements per bin. Neighbouring bins
// share a word, so their additions wait for each other.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 1024;
constexpr unsigned half_full = 0x8000u, longest = 16;  // of a run

// Vectors per thread between two barriers: 16 Ki elements of a block, and as many in the runs of the round before.
template <class T>
constexpr int in_flight = 16 / lanes_of_16<T>;
static_assert(half_full - 1 + threads * (longest + 16) <= 0xffffu, "a count would overflow");

__device__ __forceinline__ void add_run(unsigned* words, Count* y, int bin, unsigned count) {
  const int shift = bin % 2 * 16;
  const unsigned old = atomicAdd(&words[bin / 2], count << shift) >> shift & 0xffffu;
  if (old >= half_full || old + count < half_full) return;  // another thread's turn, or nobody's
  atomicSub(&words[bin / 2], half_full << shift);
  atomicAdd(&y[bin], Count(half_full));
}

template <Spacing S, class T>
__global__ void __launch_bounds__(threads)
    sixteen_bits(const T* x, const float* edges, Count* y, std::int64_t n, int bins) {
  extern __shared__ unsigned words[];  // (bins / 2)
  for (int w = threadIdx.x; w < (bins + 1) / 2; w += threads) words[w] = 0;
  __syncthreads();
  const Bins<S> where(edges, bins);
  const Cut<T> cut(x, n);
  const T* const from = x + cut.head;
  constexpr int E = Cut<T>::per_load;
  int bin = -1;
  unsigned count = 0;
  const auto next = [&](int now) {
    if (now == bin && count < longest) {
      ++count;
      return;
    }
    if (bin >= 0) add_run(words, y, bin, count);
    bin = now;
    count = 1;
  };
  constexpr int U = in_flight<T>;
  constexpr std::int64_t round = threads * U;
  for (std::int64_t at = blockIdx.x * round; at < cut.vectors; at += gridDim.x * round) {
    uint4 in[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const std::int64_t v = at + u * threads + threadIdx.x;
      in[u] = load_16(from + v * E, v < cut.vectors);
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (at + u * threads + threadIdx.x >= cut.vectors) break;
#pragma unroll(S == Spacing::uniform ? E : 1)
      for (int e = 0; e < E; ++e) next(where.of(element_of<T>(in[u], e)));
    }
    __syncthreads();  // every count is below half_full again
  }
  if (blockIdx.x == 0) cut.for_the_rest(x, n, [&](T element) { next(where.of(element)); });
  next(-1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += threads) {
    const unsigned left = words[b / 2] >> b % 2 * 16 & 0xffffu;
    if (left > 0) atomicAdd(&y[b], Count(left));
  }
}

std::size_t shared_bytes(const Args& args) {
  return std::size_t(args.y.size() + 1) / 2 * 4;
}

void launch(const Args& args, cudaStream_t stream) {
  const int bins = bins_of(args);
  if (bins == 0) return;
  clear(args, stream);
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const unsigned blocks = std::min(grid_x(n, threads * 16), multiprocessors());
    const auto run = [&](auto kernel) {
      const int bytes = allow_shared(kernel, shared_bytes(args));
      kernel<<<blocks, threads, bytes, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                                 args.y.as<Count>(), n, bins);
    };
    if (args.spacing == Spacing::uniform)
      run(sixteen_bits<Spacing::uniform, T>);
    else
      run(sixteen_bits<Spacing::any, T>);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return enough_shared_memory(shared_bytes(args));
}
// Where whole words fit, 05 needs no second look at a count; where bytes come in, 06 counts values.
std::string many_bins(const Args& args) {
  if (bins_fit(args, 1).empty()) return "32-bit counts fit into shared memory";
  if (args.x.dtype == DType::u8) return "bytes have 256 values: 06_private counts those";
  return args.x.size() >= 8 * args.y.size() ? "" : "there are too few elements per bin";
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = many_bins);

}  // namespace
}  // namespace warpath::histogram
