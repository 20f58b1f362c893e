// Prefix results among the threads of a block, for any associative operator. The order of the operands is kept.
#pragma once
#include "core/warp/scan.cuh"

namespace warpath {

template <class T>
struct BlockPrefix {
  T before;  // of all threads before this one; the identity for thread 0
  T all;     // of the whole block
};

// One barrier. Other threads may still read `slots` when this returns: put a barrier before its next use.
template <int Threads, class T, class Op>
__device__ __forceinline__ BlockPrefix<T> block_scan(T v, T identity, Op op,
                                                     T (&slots)[Threads / 32]) {
  static_assert(Threads % 32 == 0 && Threads <= 1024, "whole warps, at most 32 of them");
  constexpr int warps = Threads / 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const T inclusive = warp_scan(v, op);
  if (lane == 31) slots[warp] = inclusive;
  __syncthreads();
  // Every warp scans the same slots: no second barrier.
  const T sums = warp_scan(lane < warps ? slots[lane] : identity, op);
  const T all = shuffle(sums, 31), others = shuffle(sums, warp > 0 ? warp - 1 : 0);
  const T in_warp = shifted_by_one(inclusive, identity);
  return {warp > 0 ? op(others, in_warp) : in_warp, all};
}

}  // namespace warpath
