// A block walks along a stretch of a row: a chunk per round, one element per thread, by warp shuffles.
#pragma once
#include "ops/order/scan/call.cuh"

namespace warpath::scan {

inline constexpr int threads = 256;  // and elements per round

// get(j) and put(j, before, value) for the places [0, n) of the stretch; `carry` is what comes before it. Returns what
// comes after it.
template <class A, class Op, class Get, class Put>
__device__ __forceinline__ A walk(std::int64_t n, A carry, Op op, Get get, Put put) {
  __shared__ A slots[threads / 32];
  constexpr auto identity = [] { return Op::template identity<A>(); };
  for (std::int64_t first = 0; first < n; first += threads) {
    const std::int64_t j = first + threadIdx.x;
    const A value = j < n ? get(j) : identity();
    const BlockPrefix<A> prefix = block_scan<threads>(value, identity(), op, slots);
    if (j < n) put(j, op(carry, prefix.before), value);
    carry = op(carry, prefix.all);
    __syncthreads();
  }
  return carry;
}

}  // namespace warpath::scan
