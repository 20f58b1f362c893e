// Associative operators that reductions take, each with its identity.
#pragma once

namespace warpath {

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
  __device__ __forceinline__ long long operator()(long long a, long long b) const {
    return a > b ? a : b;
  }
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
template <>
__device__ __forceinline__ long long Max::identity<long long>() {
  return -9223372036854775807LL - 1;
}

}  // namespace warpath
