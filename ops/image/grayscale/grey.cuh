// The grey of one pixel, and the types that images have.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/thread/convert.cuh"

namespace warpath::grayscale {

template <class T>
__device__ __forceinline__ T grey(T r, T g, T b) {
  return from_float<T>(0.299f * to_float(r) + 0.587f * to_float(g) + 0.114f * to_float(b));
}
// At most 255 * 2^16 + 2^15: no overflow.
__device__ __forceinline__ unsigned grey_of_bytes(unsigned r, unsigned g, unsigned b) {
  return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
}
template <>
__device__ __forceinline__ unsigned char grey(unsigned char r, unsigned char g, unsigned char b) {
  return static_cast<unsigned char>(grey_of_bytes(r, g, b));
}

template <class F>
void dispatch_image(DType dtype, F&& f) {
  dispatch<unsigned char, float, __half, __nv_bfloat16>(dtype, f);
}

}  // namespace warpath::grayscale
