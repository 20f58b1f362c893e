// Flags between blocks: a thread that sees the flag also sees what was written before it was set.
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
// A flag that counts: a thread that sees the sum also sees what every thread wrote before it added
// to it. Returns the old value.
__device__ __forceinline__ unsigned add_in_order(unsigned* flag, unsigned value) {
  unsigned old;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(flag), "r"(value)
               : "memory");
  return old;
}

}  // namespace warpath::ptx
