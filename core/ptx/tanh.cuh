// tanh by the special function unit.
#pragma once

namespace warpath::ptx {

// One instruction; its relative error is at most 2^-11.
__device__ __forceinline__ float tanh(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

}  // namespace warpath::ptx
