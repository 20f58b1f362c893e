// The square root by the special function unit.
#pragma once

namespace warpath::ptx {

// One instruction, within 2^-23 of the result. Numbers below the smallest normal float count as zero. sqrtf() rounds
// to nearest, in some ten instructions.
__device__ __forceinline__ float sqrt(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace warpath::ptx
