// A pass of one bit by one block per row, for the wrong kernels: `digit(key)` is 0 or 1.
#pragma once
#include "ops/order/radix_sort/digit.cuh"

namespace warpath::radix_sort {

inline constexpr int split_threads = 256;

template <class U, class Digit>
__device__ __forceinline__ void split_row(const Pass<U>& pass, Digit digit) {
  __shared__ int slots[split_threads / 32];
  const std::int64_t row = blockIdx.x * pass.cols;
  std::int64_t zeros = 0;
  for (std::int64_t first = 0; first < pass.cols; first += split_threads) {
    const std::int64_t i = first + threadIdx.x;
    zeros += __syncthreads_count(i < pass.cols && digit(pass.keys[row + i]) == 0);
  }
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < pass.cols; first += split_threads) {
    const std::int64_t i = first + threadIdx.x;
    const bool zero = i < pass.cols && digit(pass.keys[row + i]) == 0;
    const BlockPrefix<int> p = block_scan<split_threads>(int(zero), 0, Sum{}, slots);
    const std::int64_t zeros_before = before + p.before;
    if (i < pass.cols) pass.move(row + i, row + (zero ? zeros_before : zeros + i - zeros_before));
    before += p.all;
    __syncthreads();
  }
}

inline std::int64_t split_scratch(const Args& args) {
  return buffer_bytes(args, 1);
}

}  // namespace warpath::radix_sort
