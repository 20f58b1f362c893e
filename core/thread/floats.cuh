// Vectors of storage types to floats and back.
#pragma once
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"

namespace warpath {

__device__ __forceinline__ float2 pair_to_floats(const __half* p) {
  return __half22float2(*reinterpret_cast<const __half2*>(p));
}
// A bf16 is the upper half of a float.
__device__ __forceinline__ float2 pair_to_floats(const __nv_bfloat16* p) {
  const unsigned both = *reinterpret_cast<const unsigned*>(p);
  return {__uint_as_float(both << 16), __uint_as_float(both & 0xffff0000u)};
}

// Two 16-bit elements are converted together from the register they share: one by one, each would
// occupy a register of its own.
template <class T, int N>
__device__ __forceinline__ void to_floats(const Vector<T, N>& v, float (&out)[N]) {
  if constexpr (sizeof(T) == 2 && N > 1) {
#pragma unroll
    for (int n = 0; n < N; n += 2) {
      const float2 two = pair_to_floats(v.at + n);
      out[n] = two.x;
      out[n + 1] = two.y;
    }
  } else {
#pragma unroll
    for (int n = 0; n < N; ++n) out[n] = to_float(v.at[n]);
  }
}

template <class T, int N>
__device__ __forceinline__ Vector<T, N> from_floats(const float (&v)[N]) {
  Vector<T, N> out;
#pragma unroll
  for (int n = 0; n < N; ++n) out.at[n] = from_float<T>(v[n]);
  return out;
}

}  // namespace warpath
