// 8-bit floats: conversions from and to every wider type. See numerics.h.
#include <cuda_fp8.h>

#include "numerics.h"

using Word = unsigned long long;

BITS(float_e4m3_satfinite, __nv_cvt_float_to_fp8(any_float(i, 1), __NV_SATFINITE, __NV_E4M3))
BITS(float_near_e4m3_satfinite,
     __nv_cvt_float_to_fp8(from_bits<float>(0x3C000000u + (random_bits(i, 2) & 0x87FFFFFFu)),
                           __NV_SATFINITE, __NV_E4M3))
BITS(double_e4m3_satfinite, __nv_cvt_double_to_fp8(any_double(i, 1), __NV_SATFINITE, __NV_E4M3))
BITS(half_e4m3_satfinite,
     __nv_cvt_halfraw_to_fp8(from_bits<__half_raw>(i), __NV_SATFINITE, __NV_E4M3))
BITS(bf16_e4m3_satfinite,
     __nv_cvt_bfloat16raw_to_fp8(from_bits<__nv_bfloat16_raw>(i), __NV_SATFINITE, __NV_E4M3))
BITS(float2_e4m3_satfinite, __nv_cvt_float2_to_fp8x2(make_float2(any_float(i, 1), any_float(i, 2)),
                                                     __NV_SATFINITE, __NV_E4M3))
BITS(double2_e4m3_satfinite,
     __nv_cvt_double2_to_fp8x2(make_double2(any_double(i, 1), any_double(i, 2)), __NV_SATFINITE,
                               __NV_E4M3))
BITS(half2_e4m3_satfinite, __nv_cvt_halfraw2_to_fp8x2(from_bits<__half2_raw>(random_bits(i, 1)),
                                                      __NV_SATFINITE, __NV_E4M3))
BITS(bf162_e4m3_satfinite,
     __nv_cvt_bfloat16raw2_to_fp8x2(from_bits<__nv_bfloat162_raw>(random_bits(i, 1)),
                                    __NV_SATFINITE, __NV_E4M3))
BITS(float_e4m3_nosat, __nv_cvt_float_to_fp8(any_float(i, 1), __NV_NOSAT, __NV_E4M3))
BITS(float_near_e4m3_nosat,
     __nv_cvt_float_to_fp8(from_bits<float>(0x3C000000u + (random_bits(i, 2) & 0x87FFFFFFu)),
                           __NV_NOSAT, __NV_E4M3))
BITS(double_e4m3_nosat, __nv_cvt_double_to_fp8(any_double(i, 1), __NV_NOSAT, __NV_E4M3))
BITS(half_e4m3_nosat, __nv_cvt_halfraw_to_fp8(from_bits<__half_raw>(i), __NV_NOSAT, __NV_E4M3))
BITS(bf16_e4m3_nosat,
     __nv_cvt_bfloat16raw_to_fp8(from_bits<__nv_bfloat16_raw>(i), __NV_NOSAT, __NV_E4M3))
BITS(float2_e4m3_nosat,
     __nv_cvt_float2_to_fp8x2(make_float2(any_float(i, 1), any_float(i, 2)), __NV_NOSAT, __NV_E4M3))
BITS(double2_e4m3_nosat, __nv_cvt_double2_to_fp8x2(make_double2(any_double(i, 1), any_double(i, 2)),
                                                   __NV_NOSAT, __NV_E4M3))
BITS(half2_e4m3_nosat,
     __nv_cvt_halfraw2_to_fp8x2(from_bits<__half2_raw>(random_bits(i, 1)), __NV_NOSAT, __NV_E4M3))
BITS(bf162_e4m3_nosat,
     __nv_cvt_bfloat16raw2_to_fp8x2(from_bits<__nv_bfloat162_raw>(random_bits(i, 1)), __NV_NOSAT,
                                    __NV_E4M3))
BITS(to_half_e4m3, bits_of<Word>(__nv_cvt_fp8_to_halfraw(i, __NV_E4M3)))
BITS(to_half2_e4m3, bits_of<Word>(__nv_cvt_fp8x2_to_halfraw2(i, __NV_E4M3)))
BITS(float_e5m2_satfinite, __nv_cvt_float_to_fp8(any_float(i, 1), __NV_SATFINITE, __NV_E5M2))
BITS(float_near_e5m2_satfinite,
     __nv_cvt_float_to_fp8(from_bits<float>(0x3C000000u + (random_bits(i, 2) & 0x87FFFFFFu)),
                           __NV_SATFINITE, __NV_E5M2))
BITS(double_e5m2_satfinite, __nv_cvt_double_to_fp8(any_double(i, 1), __NV_SATFINITE, __NV_E5M2))
BITS(half_e5m2_satfinite,
     __nv_cvt_halfraw_to_fp8(from_bits<__half_raw>(i), __NV_SATFINITE, __NV_E5M2))
BITS(bf16_e5m2_satfinite,
     __nv_cvt_bfloat16raw_to_fp8(from_bits<__nv_bfloat16_raw>(i), __NV_SATFINITE, __NV_E5M2))
BITS(float2_e5m2_satfinite, __nv_cvt_float2_to_fp8x2(make_float2(any_float(i, 1), any_float(i, 2)),
                                                     __NV_SATFINITE, __NV_E5M2))
BITS(double2_e5m2_satfinite,
     __nv_cvt_double2_to_fp8x2(make_double2(any_double(i, 1), any_double(i, 2)), __NV_SATFINITE,
                               __NV_E5M2))
BITS(half2_e5m2_satfinite, __nv_cvt_halfraw2_to_fp8x2(from_bits<__half2_raw>(random_bits(i, 1)),
                                                      __NV_SATFINITE, __NV_E5M2))
BITS(bf162_e5m2_satfinite,
     __nv_cvt_bfloat16raw2_to_fp8x2(from_bits<__nv_bfloat162_raw>(random_bits(i, 1)),
                                    __NV_SATFINITE, __NV_E5M2))
BITS(float_e5m2_nosat, __nv_cvt_float_to_fp8(any_float(i, 1), __NV_NOSAT, __NV_E5M2))
BITS(float_near_e5m2_nosat,
     __nv_cvt_float_to_fp8(from_bits<float>(0x3C000000u + (random_bits(i, 2) & 0x87FFFFFFu)),
                           __NV_NOSAT, __NV_E5M2))
BITS(double_e5m2_nosat, __nv_cvt_double_to_fp8(any_double(i, 1), __NV_NOSAT, __NV_E5M2))
BITS(half_e5m2_nosat, __nv_cvt_halfraw_to_fp8(from_bits<__half_raw>(i), __NV_NOSAT, __NV_E5M2))
BITS(bf16_e5m2_nosat,
     __nv_cvt_bfloat16raw_to_fp8(from_bits<__nv_bfloat16_raw>(i), __NV_NOSAT, __NV_E5M2))
BITS(float2_e5m2_nosat,
     __nv_cvt_float2_to_fp8x2(make_float2(any_float(i, 1), any_float(i, 2)), __NV_NOSAT, __NV_E5M2))
BITS(double2_e5m2_nosat, __nv_cvt_double2_to_fp8x2(make_double2(any_double(i, 1), any_double(i, 2)),
                                                   __NV_NOSAT, __NV_E5M2))
BITS(half2_e5m2_nosat,
     __nv_cvt_halfraw2_to_fp8x2(from_bits<__half2_raw>(random_bits(i, 1)), __NV_NOSAT, __NV_E5M2))
BITS(bf162_e5m2_nosat,
     __nv_cvt_bfloat16raw2_to_fp8x2(from_bits<__nv_bfloat162_raw>(random_bits(i, 1)), __NV_NOSAT,
                                    __NV_E5M2))
BITS(to_half_e5m2, bits_of<Word>(__nv_cvt_fp8_to_halfraw(i, __NV_E5M2)))
BITS(to_half2_e5m2, bits_of<Word>(__nv_cvt_fp8x2_to_halfraw2(i, __NV_E5M2)))
BITS(class_e4m3, __nv_fp8_e4m3(any_float(i, 1)).__x)
BITS(class_int_e4m3, __nv_fp8_e4m3(static_cast<int>(random_bits(i, 1) >> (32 + i % 32))).__x)
BITS(class_float_e4m3, bits_of<Word>(static_cast<float>(from_bits<__nv_fp8_e4m3>(i))))
BITS(class_to_int_e4m3, (Word) static_cast<int>(from_bits<__nv_fp8_e4m3>(i)) ^
                            (Word) static_cast<unsigned char>(from_bits<__nv_fp8_e4m3>(i)) << 32)
BITS(class_x4_e4m3, __nv_fp8x4_e4m3(make_float4(any_float(i, 1), any_float(i, 2), any_float(i, 3),
                                                any_float(i, 4)))
                        .__x)
BITS(class_x4_float4_e4m3,
     bits_of<Word>(static_cast<float4>(from_bits<__nv_fp8x4_e4m3>(random_bits(i, 1))).w))
BITS(class_x2_float2_e4m3, bits_of<Word>(static_cast<float2>(from_bits<__nv_fp8x2_e4m3>(i))))
BITS(class_e5m2, __nv_fp8_e5m2(any_float(i, 1)).__x)
BITS(class_int_e5m2, __nv_fp8_e5m2(static_cast<int>(random_bits(i, 1) >> (32 + i % 32))).__x)
BITS(class_float_e5m2, bits_of<Word>(static_cast<float>(from_bits<__nv_fp8_e5m2>(i))))
BITS(class_to_int_e5m2, (Word) static_cast<int>(from_bits<__nv_fp8_e5m2>(i)) ^
                            (Word) static_cast<unsigned char>(from_bits<__nv_fp8_e5m2>(i)) << 32)
BITS(class_x4_e5m2, __nv_fp8x4_e5m2(make_float4(any_float(i, 1), any_float(i, 2), any_float(i, 3),
                                                any_float(i, 4)))
                        .__x)
BITS(class_x4_float4_e5m2,
     bits_of<Word>(static_cast<float4>(from_bits<__nv_fp8x4_e5m2>(random_bits(i, 1))).w))
BITS(class_x2_float2_e5m2, bits_of<Word>(static_cast<float2>(from_bits<__nv_fp8x2_e5m2>(i))))
BITS(e8m0_float_satfinite_cudaRoundZero,
     __nv_cvt_float_to_e8m0(any_float(i, 1), __NV_SATFINITE, cudaRoundZero))
BITS(e8m0_float_satfinite_cudaRoundPosInf,
     __nv_cvt_float_to_e8m0(any_float(i, 1), __NV_SATFINITE, cudaRoundPosInf))
BITS(e8m0_float_nosat_cudaRoundZero,
     __nv_cvt_float_to_e8m0(any_float(i, 1), __NV_NOSAT, cudaRoundZero))
BITS(e8m0_float_nosat_cudaRoundPosInf,
     __nv_cvt_float_to_e8m0(any_float(i, 1), __NV_NOSAT, cudaRoundPosInf))
BITS(e8m0_to_bf16, bits_of<Word>(__nv_cvt_e8m0_to_bf16raw(i)))
