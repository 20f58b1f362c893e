#pragma once

// Conversions between 8-bit floats and everything wider.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

namespace simt {

inline float widen(__half_raw value) {
  return half_to_float(value.x);
}
inline float widen(__nv_bfloat16_raw value) {
  return bfloat16_to_float(value.x);
}

// Two bytes as a pair, low first.
inline __nv_fp8x2_storage_t pair8(unsigned low, unsigned high) {
  return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}

}  // namespace simt

namespace simt {

// Beyond the largest number: the largest number if that is asked for, else infinity, or NaN in
// e4m3, which has no infinity.
inline __nv_fp8_storage_t to_fp8(double x, __nv_saturation_t saturate,
                                 __nv_fp8_interpretation_t kind) {
  const bool finite = saturate == __NV_SATFINITE;
  const unsigned bits =
      kind == __NV_E4M3
          ? encode<E4M3Format>(x, Round::nearest, finite ? Overflow::saturate : Overflow::nan)
          : encode<E5M2Format>(x, Round::nearest, finite ? Overflow::saturate : Overflow::infinity);
  return static_cast<__nv_fp8_storage_t>(bits);
}

}  // namespace simt

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                 __nv_fp8_interpretation_t kind) {
  if (x == x) return simt::to_fp8(x, saturate, kind);
  const unsigned nan = kind == __NV_E4M3 ? simt::narrow_nan<simt::E4M3Format>(x)
                                         : simt::narrow_nan<simt::E5M2Format>(x);
  return static_cast<__nv_fp8_storage_t>(nan);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                __nv_fp8_interpretation_t kind) {
  return simt::to_fp8(x, saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                  __nv_fp8_interpretation_t kind) {
  return simt::to_fp8(simt::widen(x), saturate, kind);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                      __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return simt::to_fp8(simt::widen(x), saturate, kind);
}

inline __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                      __nv_fp8_interpretation_t kind) {
  return simt::pair8(__nv_cvt_double_to_fp8(x.x, saturate, kind),
                     __nv_cvt_double_to_fp8(x.y, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return simt::pair8(__nv_cvt_float_to_fp8(x.x, saturate, kind),
                     __nv_cvt_float_to_fp8(x.y, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                       __nv_fp8_interpretation_t kind) {
  return simt::pair8(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, kind),
                     __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, kind));
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                           __nv_saturation_t saturate,
                                                           __nv_fp8_interpretation_t kind) {
  return simt::pair8(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate, kind),
                     __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, kind));
}

// Every 8-bit float is a half: e5m2 is its upper byte, e4m3 has fewer exponents and fewer bits.
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  const unsigned sign = (x & 0x80u) << 8, magnitude = x & 0x7Fu;
  if (kind == __NV_E5M2) {
    const bool nan = magnitude > 0x7C;
    return __half_raw{static_cast<unsigned short>(nan ? 0x7FFFu : sign | magnitude << 8)};
  }
  if (magnitude == 0x7F) return __half_raw{0x7FFF};
  if (magnitude >= 0x08)  // normal: the exponent's bias is 8 smaller
    return __half_raw{static_cast<unsigned short>(sign | ((magnitude << 7) + (8u << 10)))};
  const unsigned short subnormal = simt::float_to_half(static_cast<float>(magnitude) * 0x1p-9f);
  return __half_raw{static_cast<unsigned short>(sign | subnormal)};
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                              __nv_fp8_interpretation_t kind) {
  const auto low = static_cast<__nv_fp8_storage_t>(x),
             high = static_cast<__nv_fp8_storage_t>(x >> 8);
  return __half2_raw{__nv_cvt_fp8_to_halfraw(low, kind).x, __nv_cvt_fp8_to_halfraw(high, kind).x};
}

namespace simt {

inline float fp8_to_float(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  return widen(__nv_cvt_fp8_to_halfraw(x, kind));
}

}  // namespace simt
