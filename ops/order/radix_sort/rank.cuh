// The rank of keys among those of the same digit in their warp.
#pragma once
#include "core/ptx/vote.cuh"
#include "ops/order/radix_sort/digit.cuh"

namespace warpath::radix_sort {

inline constexpr int digit_bits = 8, digits = 256;

// The lanes that have the same digit, as bits: one ballot per bit of the digit.
__device__ __forceinline__ unsigned same_digit(unsigned digit) {
  unsigned same = full_mask;
#pragma unroll
  for (int b = 0; b < digit_bits; ++b) same &= ptx::agreeing_lanes(digit, 1u << b);
  return same;
}

// How many keys with this digit came before in the warp. same: the lanes that have this digit too; counts[d]: the
// warp's keys with digit d so far; the highest lane of those that agree counts for all of them.
__device__ __forceinline__ unsigned rank_in_warp(unsigned digit, unsigned same, unsigned* counts) {
  const unsigned below = (1u << threadIdx.x % 32) - 1, above = ~(2 * below + 1);
  const unsigned rank = counts[digit] + unsigned(__popc(same & below));
  __syncwarp();
  if ((same & above) == 0) counts[digit] = rank + 1;
  __syncwarp();
  return rank;
}

}  // namespace warpath::radix_sort
