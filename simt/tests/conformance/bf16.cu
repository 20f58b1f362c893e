// __nv_bfloat16: see small_float.h.
#include <cuda_bf16.h>

using Small = __nv_bfloat16;
using Pair = __nv_bfloat162;
constexpr unsigned one_bits = 0x3F80u, near_mask = 0x80FFu;

#define FROM(type, mode) __##type##2bfloat16##mode
#define TO(type) __bfloat162##type
#define PAIR_TO_FLOATS __bfloat1622float2
#define FLOATS_TO_PAIR __float22bfloat162_rn
#define TWO_TO_PAIR __floats2bfloat162_rn
#define ONE_TO_PAIR __float2bfloat162_rn
#define LOWS __lows2bfloat162
#define HIGHS __highs2bfloat162

#include "small_float.h"
