// __half: see small_float.h.
#include <cuda_fp16.h>

using Small = __half;
using Pair = __half2;
constexpr unsigned one_bits = 0x3C00u, near_mask = 0x83FFu;

#define FROM(type, mode) __##type##2half##mode
#define TO(type) __half2##type
#define PAIR_TO_FLOATS __half22float2
#define FLOATS_TO_PAIR __float22half2_rn
#define TWO_TO_PAIR __floats2half2_rn
#define ONE_TO_PAIR __float2half2_rn
#define LOWS __lows2half2
#define HIGHS __highs2half2

#include "small_float.h"
