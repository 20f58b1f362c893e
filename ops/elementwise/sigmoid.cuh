// The sigmoid in four instructions.
#pragma once
#include "core/ptx/exp2.cuh"
#include "core/ptx/reciprocal.cuh"

namespace warpath::pointwise {

// exp(-x) as a power of two: a product, ex2, an addition, rcp. Each is right to about 1 ulp, so the
// whole is nearly as exact as expf and a division. Results below 2^-126 become zero.
__device__ __forceinline__ float sigmoid(float x) {
  constexpr float log2_e = 1.44269504f;
  return ptx::reciprocal(1 + ptx::exp2(-log2_e * x));
}

}  // namespace warpath::pointwise
