// Reductions among the threads of a warp and of a block, for any associative operator.
#pragma once

namespace warpath {

inline constexpr unsigned full_mask = 0xffffffffu;

struct Sum {
  template <class T>
  __device__ __forceinline__ T operator()(T a, T b) const {
    return a + b;
  }
  template <class T>
  static __device__ __forceinline__ T identity() {
    return T(0);
  }
};

// NaN wins, as in PyTorch: a maximum that hides a NaN hides a bug.
struct Max {
  __device__ __forceinline__ float operator()(float a, float b) const {
    return a > b || a != a ? a : b;
  }
  __device__ __forceinline__ int operator()(int a, int b) const { return a > b ? a : b; }
  template <class T>
  static __device__ __forceinline__ T identity();
};
template <>
__device__ __forceinline__ float Max::identity<float>() {
  return -INFINITY;
}
template <>
__device__ __forceinline__ int Max::identity<int>() {
  return -2147483647 - 1;
}

// Every lane gets the result. Width: lanes that form a group, a power of two.
template <int Width = 32, class T, class Op>
__device__ __forceinline__ T warp_reduce(T v, Op op) {
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2)
    v = op(v, __shfl_xor_sync(full_mask, v, offset));
  return v;
}

// Every thread gets the result. `Threads` is the (one-dimensional) block's size, a multiple of 32.
// Ends with the shared slots still being read: put a barrier before the next use of `slots`.
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
