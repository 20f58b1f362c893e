// Arithmetic is done in float whatever the storage type: read with to_float, round once with
// from_float.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace warpath {

__device__ __forceinline__ float to_float(float x) {
  return x;
}
__device__ __forceinline__ float to_float(__half x) {
  return __half2float(x);
}
__device__ __forceinline__ float to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

template <class T>
__device__ __forceinline__ T from_float(float x);
template <>
__device__ __forceinline__ float from_float<float>(float x) {
  return x;
}
template <>
__device__ __forceinline__ __half from_float<__half>(float x) {
  return __float2half_rn(x);
}
template <>
__device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
  return __float2bfloat16_rn(x);
}

// Two neighbours as one word, the first in its low half, by one instruction.
template <class T>
__device__ __forceinline__ unsigned pack(float low, float high);
template <>
__device__ __forceinline__ unsigned pack<__half>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return reinterpret_cast<const unsigned&>(pair);
}
template <>
__device__ __forceinline__ unsigned pack<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const unsigned&>(pair);
}

}  // namespace warpath
