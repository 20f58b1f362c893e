// Prefix results among the lanes of a warp, for any associative operator. The order of the operands is kept, so the
// operator need not be commutative.
#pragma once
#include <type_traits>

#include "core/warp/reduce.cuh"

namespace warpath {

// The value of the lane `distance` below; a lane that has none keeps its own. T: a number, or a struct of 4-byte words.
template <class T>
__device__ __forceinline__ T shuffle_up(T v, int distance) {
  if constexpr (std::is_arithmetic_v<T>) {
    return __shfl_up_sync(full_mask, v, distance);
  } else {
    static_assert(sizeof(T) % 4 == 0);
    unsigned(&word)[sizeof(T) / 4] = reinterpret_cast<unsigned(&)[sizeof(T) / 4]>(v);
#pragma unroll
    for (unsigned& w : word) w = __shfl_up_sync(full_mask, w, distance);
    return v;
  }
}
// The value of one lane, to all.
template <class T>
__device__ __forceinline__ T shuffle(T v, int lane) {
  if constexpr (std::is_arithmetic_v<T>) {
    return __shfl_sync(full_mask, v, lane);
  } else {
    static_assert(sizeof(T) % 4 == 0);
    unsigned(&word)[sizeof(T) / 4] = reinterpret_cast<unsigned(&)[sizeof(T) / 4]>(v);
#pragma unroll
    for (unsigned& w : word) w = __shfl_sync(full_mask, w, lane);
    return v;
  }
}

// Lane l gets v[0] ∘ … ∘ v[l], in five steps (Kogge-Stone). Width: lanes that form a group, a power of two.
template <int Width = 32, class T, class Op>
__device__ __forceinline__ T warp_scan(T v, Op op) {
#pragma unroll
  for (int distance = 1; distance < Width; distance *= 2) {
    const T before = shuffle_up(v, distance);
    if (int(threadIdx.x % Width) >= distance) v = op(before, v);
  }
  return v;
}

// From the inclusive results those of the lanes before; `first` for lane 0.
template <class T>
__device__ __forceinline__ T shifted_by_one(T inclusive, T first) {
  const T before = shuffle_up(inclusive, 1);
  return threadIdx.x % 32 == 0 ? first : before;
}

}  // namespace warpath
