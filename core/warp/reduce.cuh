// Reductions among the threads of a warp, for any associative operator.
#pragma once

#include "core/thread/operators.cuh"

namespace warpath {

inline constexpr unsigned full_mask = 0xffffffffu;

// Every lane gets the result. Width: lanes that form a group, a power of two.
template <int Width = 32, class T, class Op>
__device__ __forceinline__ T warp_reduce(T v, Op op) {
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2)
    v = op(v, __shfl_xor_sync(full_mask, v, offset));
  return v;
}

}  // namespace warpath
