#pragma once

// 8-bit floats: e4m3 (no infinity, up to 448), e5m2 (a short half) and e8m0 (a bare exponent, for
// block scales). They convert; arithmetic is done in wider types.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <simt/fp8_convert.h>
#include <simt/fp8_e8m0.h>

#define __CUDA_FP8_TYPES_EXIST__

#define SIMT_FP8 __nv_fp8_e4m3
#define SIMT_FP8X2 __nv_fp8x2_e4m3
#define SIMT_FP8X4 __nv_fp8x4_e4m3
#define SIMT_FP8_KIND __NV_E4M3
#include <simt/fp8_type.inc>
#undef SIMT_FP8
#undef SIMT_FP8X2
#undef SIMT_FP8X4
#undef SIMT_FP8_KIND

#define SIMT_FP8 __nv_fp8_e5m2
#define SIMT_FP8X2 __nv_fp8x2_e5m2
#define SIMT_FP8X4 __nv_fp8x4_e5m2
#define SIMT_FP8_KIND __NV_E5M2
#include <simt/fp8_type.inc>
#undef SIMT_FP8
#undef SIMT_FP8X2
#undef SIMT_FP8X4
#undef SIMT_FP8_KIND
