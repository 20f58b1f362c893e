// Reductions among the threads of a block, for any associative operator.
#pragma once

#include "core/warp/reduce.cuh"

namespace warpath {

// Every thread gets the result. `Threads` is the (one-dimensional) block's size, a multiple of 32.
// Other threads may still read `slots` when this returns: put a barrier before its next use.
template <int Threads, class T, class Op>
__device__ __forceinline__ T block_reduce(T v, Op op, T (&slots)[Threads / 32]) {
  static_assert(Threads % 32 == 0 && Threads <= 1024, "whole warps, at most 32 of them");
  constexpr int warps = Threads / 32;
  v = warp_reduce(v, op);
  if constexpr (warps == 1) return v;
  if (threadIdx.x % 32 == 0) slots[threadIdx.x / 32] = v;
  __syncthreads();
  v = slots[threadIdx.x %
            warps];  // each warp reduces the same slots: no second barrier, no broadcast
  return warp_reduce<warps>(v, op);
}

}  // namespace warpath
