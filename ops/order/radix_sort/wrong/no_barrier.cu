// The warps' counters are added up while some warps still count: a barrier is missing between the two.
#include "ops/order/radix_sort/rank.cuh"

namespace warpath::radix_sort {
namespace {

constexpr int threads = 256, warps = threads / 32;

// One block per row walks along it, 256 keys at a time, with the places where digits go on in shared memory.
template <class U>
__global__ void __launch_bounds__(threads) no_barrier(Pass<U> pass) {
  __shared__ unsigned next[digits], counts[warps][digits], slots[warps];
  const int t = threadIdx.x, warp = t / 32;
  const std::int64_t row = blockIdx.x * pass.cols;
  next[t] = 0;
  __syncthreads();
  for (std::int64_t i = t; i < pass.cols; i += threads)
    atomicAdd(&next[pass.digit(pass.keys[row + i])], 1u);
  __syncthreads();
  const unsigned begin = block_scan<threads>(next[t], 0u, Sum{}, slots).before;
  next[t] = begin;
  for (std::int64_t first = 0; first < pass.cols; first += threads) {
    for (int w = 0; w < warps; ++w) counts[w][t] = 0;
    __syncthreads();
    const std::int64_t i = first + t;
    const unsigned digit = i < pass.cols ? pass.digit(pass.keys[row + i]) : digits - 1;
    const unsigned rank = rank_in_warp(digit, same_digit(digit), counts[warp]);
    // Missing here: __syncthreads();
    for (int w = 0; w < warps; ++w) {
      const unsigned count = counts[w][t];
      counts[w][t] = next[t];
      next[t] += count;
    }
    __syncthreads();
    if (i < pass.cols) pass.move(row + i, row + counts[warp][digit] + rank);
    __syncthreads();
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto key) {
    using U = decltype(key);
    for_each_pass<U>(args, digit_bits, args.scratch.data, stream, [&](const Pass<U>& pass, int) {
      no_barrier<<<grid_x(args.keys.shape[0], 1), threads, 0, stream>>>(pass);
    });
  });
}

std::int64_t scratch_bytes(const Args& args) {
  return buffer_bytes(args, digit_bits);
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .race = true);

}  // namespace
}  // namespace warpath::radix_sort
