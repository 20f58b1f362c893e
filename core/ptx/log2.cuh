// log2(x) by the special function unit.
#pragma once

namespace warpath::ptx {

// One instruction. Between 0.5 and 2 the absolute error is at most 2^-22, elsewhere the relative one. Numbers below the
// smallest normal float count as zero; log2f() and __log2f() scale them first.
__device__ __forceinline__ float log2(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace warpath::ptx
