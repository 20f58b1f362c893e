#pragma once
#define __CUDA_BF16_H__  // CUDA's guard: programs ask by it whether this header is in

// bfloat16: the upper half of a float. Like cuda_fp16.h.

#include <cuda_fp16.h>

#define __CUDA_BF16_TYPES_EXIST__

#define SIMT_T __nv_bfloat16
#define SIMT_RAW __nv_bfloat16_raw
#define SIMT_T2 __nv_bfloat162
#define SIMT_RAW2 __nv_bfloat162_raw
#define SIMT_OTHER __half
#define SIMT_FORMAT simt::Bfloat16Format
#define SIMT_TO_FLOAT simt::bfloat16_to_float
#define SIMT_FROM_FLOAT simt::float_to_bfloat16
#define SIMT_WORD bfloat16
#define SIMT_WORD2 bfloat162
#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define SIMT_CONVERSIONS 0
#else
#define SIMT_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define SIMT_OPERATORS 0
#else
#define SIMT_OPERATORS 1
#endif
#ifdef __CUDA_NO_BFLOAT162_OPERATORS__
#define SIMT_PAIR_OPERATORS 0
#else
#define SIMT_PAIR_OPERATORS 1
#endif

// In this order.
#include <simt/small_float_type.inc>

#include <simt/small_float_functions.inc>

#include <simt/small_float_names.inc>

#if SIMT_CONVERSIONS
inline __nv_bfloat16::__nv_bfloat16(__half other)
    : __x(simt::float_to_bfloat16(simt::half_to_float(other.__x))) {}
#ifndef __CUDA_NO_HALF_CONVERSIONS__
inline __half::__half(__nv_bfloat16 other)
    : __x(simt::float_to_half(simt::bfloat16_to_float(other.__x))) {}
#endif
#endif

#include <simt/small_float_undef.inc>

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
