// Keys of one digit take their places from an atomic counter: the keys come out right only if no pass depends on the one
// before, and values of equal keys change places.
#include "ops/order/radix_sort/rank.cuh"

namespace warpath::radix_sort {
namespace {

constexpr int threads = 256;

template <class U>
__global__ void __launch_bounds__(threads) atomic_ranks(Pass<U> pass) {
  __shared__ unsigned next[digits], slots[threads / 32];
  const std::int64_t row = blockIdx.x * pass.cols;
  next[threadIdx.x] = 0;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < pass.cols; i += threads)
    atomicAdd(&next[pass.digit(pass.keys[row + i])], 1u);
  __syncthreads();
  const unsigned begin = block_scan<threads>(next[threadIdx.x], 0u, Sum{}, slots).before;
  next[threadIdx.x] = begin;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < pass.cols; i += threads)
    pass.move(row + i, row + atomicAdd(&next[pass.digit(pass.keys[row + i])], 1u));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto key) {
    using U = decltype(key);
    for_each_pass<U>(args, digit_bits, args.scratch.data, stream, [&](const Pass<U>& pass, int) {
      atomic_ranks<<<grid_x(args.keys.shape[0], 1), threads, 0, stream>>>(pass);
    });
  });
}

std::int64_t scratch_bytes(const Args& args) {
  return buffer_bytes(args, digit_bits);
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::radix_sort
