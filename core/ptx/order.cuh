// Flags between blocks: who sees the flag sees what was written before it was set.
#pragma once
#include <cuda_runtime.h>

namespace warpath::ptx {

__device__ __forceinline__ void store_release(unsigned* flag, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ __forceinline__ unsigned load_acquire(const unsigned* flag) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

}  // namespace warpath::ptx
