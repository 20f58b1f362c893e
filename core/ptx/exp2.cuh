// 2^x by the special function unit.
#pragma once

namespace warpath::ptx {

// One instruction, within 2 ulp; results below the smallest normal float become zero. exp2f() keeps
// those, and takes four instructions.
__device__ __forceinline__ float exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace warpath::ptx
