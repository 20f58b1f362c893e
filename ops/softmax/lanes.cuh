// A vector of 16-bit numbers as floats, two at a time, and its largest element.
#pragma once
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"

namespace warpath::softmax {

template <class T>
struct PairOf;
template <>
struct PairOf<__half> {
  using type = __half2;
};
template <>
struct PairOf<__nv_bfloat16> {
  using type = __nv_bfloat162;
};

__device__ __forceinline__ float2 to_floats(__half2 pair) {
  return __half22float2(pair);
}
// A bf16 is the upper half of a float.
__device__ __forceinline__ float2 to_floats(__nv_bfloat162 pair) {
  const unsigned both = reinterpret_cast<const unsigned&>(pair);
  return {__uint_as_float(both << 16), __uint_as_float(both & 0xffff0000u)};
}

// Every element as a float. Two 16-bit ones are converted together from the register they share:
// one by one, each would occupy a register of its own.
template <class T, int N>
__device__ __forceinline__ void to_floats(const Vector<T, N>& v, float (&out)[N]) {
#pragma unroll
  for (int n = 0; n < N; ++n)
    if constexpr (sizeof(T) == 2 && N > 1) {
      const float2 two = to_floats(reinterpret_cast<const typename PairOf<T>::type*>(v.at)[n / 2]);
      out[n] = n % 2 == 0 ? two.x : two.y;
    } else {
      out[n] = to_float(v.at[n]);
    }
}

// The largest element, NaN ignored (the sum will show it); 16-bit types two at a time.
template <class T, int N>
__device__ __forceinline__ float largest(const Vector<T, N>& v) {
  if constexpr (sizeof(T) == 2 && N > 1) {
    const auto* pairs = reinterpret_cast<const typename PairOf<T>::type*>(v.at);
    auto most = pairs[0];
#pragma unroll
    for (int k = 1; k < N / 2; ++k) most = __hmax2(most, pairs[k]);
    return fmaxf(to_float(most.x), to_float(most.y));
  } else {
    float most = to_float(v.at[0]);
#pragma unroll
    for (int n = 1; n < N; ++n) most = fmaxf(most, to_float(v.at[n]));
    return most;
  }
}

}  // namespace warpath::softmax
