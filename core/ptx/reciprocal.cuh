// 1 / x by the special function unit.
#pragma once

namespace warpath::ptx {

// One instruction, within 1 ulp. Zero for infinity, and where the result would be below the
// smallest normal float. A division tests for these cases first.
__device__ __forceinline__ float reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace warpath::ptx
