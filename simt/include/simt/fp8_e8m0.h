#pragma once

// e8m0: a power of two, stored as its biased exponent; 0xFF is NaN and there is no zero.

#include <device_types.h>
#include <simt/fp8_convert.h>

// The sign is ignored. Towards zero or up to the next power of two; too small becomes the smallest
// power.
inline __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                  cudaRoundMode rounding) {
  const double size = std::fabs(x);
  if (size != size) return 0xFF;
  const __nv_fp8_storage_t too_large = saturate == __NV_SATFINITE ? 0xFE : 0xFF;
  if (std::isinf(size)) return too_large;
  if (size <= 0x1p-127) return 0;
  int exponent = std::ilogb(size);
  if (rounding == cudaRoundPosInf && std::scalbn(1.0, exponent) < size) ++exponent;
  return exponent > 127 ? too_large : static_cast<__nv_fp8_storage_t>(exponent + 127);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                 cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(x, saturate, rounding);
}
inline __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                       __nv_saturation_t saturate,
                                                       cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0(simt::widen(x), saturate, rounding);
}
inline __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate,
                                                       cudaRoundMode rounding) {
  return simt::pair8(__nv_cvt_double_to_e8m0(x.x, saturate, rounding),
                     __nv_cvt_double_to_e8m0(x.y, saturate, rounding));
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate,
                                                      cudaRoundMode rounding) {
  return simt::pair8(__nv_cvt_float_to_e8m0(x.x, saturate, rounding),
                     __nv_cvt_float_to_e8m0(x.y, saturate, rounding));
}
inline __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x,
                                                            __nv_saturation_t saturate,
                                                            cudaRoundMode rounding) {
  return simt::pair8(__nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw{x.x}, saturate, rounding),
                     __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw{x.y}, saturate, rounding));
}

inline __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  if (x == 0xFF) return __nv_bfloat16_raw{0x7FFF};
  if (x == 0) return __nv_bfloat16_raw{0x0040};  // 2^-127 is subnormal
  return __nv_bfloat16_raw{static_cast<unsigned short>(x << 7)};
}
inline __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  return __nv_bfloat162_raw{__nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x)).x,
                            __nv_cvt_e8m0_to_bf16raw(static_cast<__nv_fp8_storage_t>(x >> 8)).x};
}

struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;

  __nv_fp8_e8m0() = default;
  explicit __nv_fp8_e8m0(float value)
      : __x(__nv_cvt_float_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __nv_fp8_e8m0(double value)
      : __x(__nv_cvt_double_to_e8m0(value, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __nv_fp8_e8m0(__half value) : __nv_fp8_e8m0(__half2float(value)) {}
  explicit __nv_fp8_e8m0(__nv_bfloat16 value) : __nv_fp8_e8m0(__bfloat162float(value)) {}

  explicit operator float() const { return simt::widen(__nv_cvt_e8m0_to_bf16raw(__x)); }
  explicit operator double() const { return static_cast<float>(*this); }
  explicit operator __nv_bfloat16() const { return __nv_cvt_e8m0_to_bf16raw(__x); }
  explicit operator __half() const { return __float2half(static_cast<float>(*this)); }
};
