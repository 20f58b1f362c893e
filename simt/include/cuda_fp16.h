#pragma once
#define __CUDA_FP16_H__  // CUDA's guard: programs ask by it whether this header is in

// 16-bit IEEE floats. Everything works on the host as well as in kernels, and arithmetic has the
// bits a GPU gives.

#include <simt/small_float_common.h>

#define __CUDA_FP16_TYPES_EXIST__
struct __half;
struct __nv_bfloat16;

#define SIMT_T __half
#define SIMT_RAW __half_raw
#define SIMT_T2 __half2
#define SIMT_RAW2 __half2_raw
#define SIMT_OTHER __nv_bfloat16
#define SIMT_FORMAT simt::HalfFormat
#define SIMT_TO_FLOAT simt::half_to_float
#define SIMT_FROM_FLOAT simt::float_to_half
#define SIMT_WORD half
#define SIMT_WORD2 half2
#ifdef __CUDA_NO_HALF_CONVERSIONS__
#define SIMT_CONVERSIONS 0
#else
#define SIMT_CONVERSIONS 1
#endif
#ifdef __CUDA_NO_HALF_OPERATORS__
#define SIMT_OPERATORS 0
#else
#define SIMT_OPERATORS 1
#endif
#ifdef __CUDA_NO_HALF2_OPERATORS__
#define SIMT_PAIR_OPERATORS 0
#else
#define SIMT_PAIR_OPERATORS 1
#endif

// In this order.
#include <simt/small_float_type.inc>

#include <simt/small_float_functions.inc>

#include <simt/small_float_names.inc>

#include <simt/small_float_undef.inc>

#ifndef CUDA_NO_HALF
typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
#endif

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
