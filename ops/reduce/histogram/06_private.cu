// Up to 256 bins: every thread has a histogram of its own, a byte per bin, and there are no atomics.
//
// What changed: counter b of thread t is a byte of word (b / 4, t) of shared memory. The words of a warp's 32 lanes lie in
// 32 banks whatever their bins are, so an element costs one load and one store without conflicts: the speed does not depend
// on the data. A byte holds 255, so before any can overflow the block adds the bytes of all threads to 32-bit counts and
// clears them. The next loads are already on their way while a round is counted. Bytes of input are counted as they are, and
// their 256 counts are sorted into the bins at the end: no arithmetic per element, and any number of bins.
// Limit: in a thread, load, addition and store of an element wait for those of the one before; the block stops to gather.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

constexpr int threads = 768, warps = threads / 32, words = 64, most = 256, in_flight = 4;
constexpr int shared_bytes = (words * threads + most) * 4;  // 193 KiB: one block per SM

// The bytes of all threads, added to the block's counts and cleared. All threads call it.
__device__ __forceinline__ void gather(unsigned* bytes, unsigned* counts) {
  __syncthreads();
  for (int w = threadIdx.x / 32; w < words; w += warps) {
    unsigned even = 0, odd = 0;  // two 16-bit sums each: 24 bytes at most 255 are less than 2^16
    for (int t = threadIdx.x % 32; t < threads; t += 32) {
      const unsigned four = bytes[w * threads + t];
      bytes[w * threads + t] = 0;
      even += four & 0x00ff00ffu;
      odd += four >> 8 & 0x00ff00ffu;
    }
    const unsigned sums[4] = {
        __reduce_add_sync(full_mask, even & 0xffffu), __reduce_add_sync(full_mask, odd & 0xffffu),
        __reduce_add_sync(full_mask, even >> 16), __reduce_add_sync(full_mask, odd >> 16)};
    if (threadIdx.x % 32 == 0)
      for (int k = 0; k < 4; ++k) counts[4 * w + k] += sums[k];
  }
  __syncthreads();
}

template <class T, class Where>
__device__ __forceinline__ int slot_of(const Where& where, T element) {
  if constexpr (sizeof(T) == 1)
    return element;
  else
    return where.of(element);
}

template <class T>
__global__ void __launch_bounds__(threads)
    private_bytes(const T* x, const float* edges, Count* y, std::int64_t n, int bins,
                  Spacing spacing) {
  constexpr int E = Cut<T>::per_load, rounds = 255 / (in_flight * E);  // until a byte may be full
  extern __shared__ unsigned bytes[];                                  // (words, threads)
  unsigned* const counts = bytes + words * threads;                    // (most)
  for (int k = threadIdx.x; k < words * threads + most; k += threads) bytes[k] = 0;
  __syncthreads();
  const Bins<sizeof(T) == 1 ? Spacing::any : Spacing::uniform> where(edges, bins, spacing);
  const Cut<T> cut(x, n);
  const T* const from = x + cut.head;
  unsigned* const mine = bytes + threadIdx.x;
  const auto count = [&](T element) {
    const int slot = slot_of(where, element);
    if (slot >= 0) mine[slot / 4 * threads] += 1u << slot % 4 * 8;
  };
  const auto load = [&](uint4(&in)[in_flight], std::int64_t v) {
#pragma unroll
    for (int u = 0; u < in_flight; ++u)
      in[u] = load_16(from + (v + u * threads) * E, v + u * threads < cut.vectors);
  };

  const std::int64_t step = std::int64_t(gridDim.x) * threads * in_flight;
  const std::int64_t begin = std::int64_t(blockIdx.x) * threads * in_flight;
  int turn = 0;
  uint4 in[in_flight], next[in_flight];
  load(in, begin + threadIdx.x);
  for (std::int64_t at = begin; at < cut.vectors; at += step) {  // the same for all threads
    const std::int64_t v = at + threadIdx.x;
    load(next, v + step);
#pragma unroll
    for (int u = 0; u < in_flight; ++u) {
      if (v + u * threads < cut.vectors)
#pragma unroll
        for (int e = 0; e < E; ++e) count(element_of<T>(in[u], e));
      in[u] = next[u];
    }
    if (++turn == rounds) {
      turn = 0;
      gather(bytes, counts);
    }
  }
  gather(bytes, counts);
  if (blockIdx.x == 0) {
    cut.for_the_rest(x, n, count);
    gather(bytes, counts);
  }
  for (int k = threadIdx.x; k < most; k += threads) {
    if (counts[k] == 0) continue;
    const int bin = sizeof(T) == 1 ? where.of(k) : k;
    if (bin >= 0) atomicAdd(&y[bin], Count(counts[k]));
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
    allow_shared(private_bytes<T>, shared_bytes);
    const unsigned blocks =
        std::min(grid_x(n, threads * in_flight * lanes_of_16<T>), multiprocessors());
    private_bytes<T><<<blocks, threads, shared_bytes, stream>>>(
        args.x.as<const T>(), args.edges.as<float>(), args.y.as<Count>(), n, bins, args.spacing);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  if (args.x.dtype != DType::u8 && bins_of(args) > most)
    return "counts at most 256 bins, or bytes of input";
  if (args.x.dtype != DType::u8 && args.spacing != Spacing::uniform)
    return "takes uniform bins, or bytes of input";
  return enough_shared_memory(shared_bytes);
}
std::string large(const Args& args) {
  return args.x.size() >= 1 << 20
             ? ""
             : "clearing and adding 256 counts per thread takes longer than few elements";
}

WARPATH_RUNG(Args, launch, .supports = supports, .preferred = large);

}  // namespace
}  // namespace warpath::histogram
