// A load whose cache line L2 evicts last.
#pragma once
#include <cstdint>

namespace warpath::ptx {

// Zeros where `there` is false. The instruction is predicated: with a branch around it, the thread
// would wait at the branch for the loaded value.
__device__ __forceinline__ uint4 load_last(const uint4* p, bool there) {
  std::uint64_t policy;
  uint4 w{};
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "{.reg .pred there; setp.ne.b32 there, %6, 0; @there ld.global.L2::cache_hint.v4.b32 {%0, "
      "%1, "
      "%2, %3}, [%4], %5;}"
      : "+r"(w.x), "+r"(w.y), "+r"(w.z), "+r"(w.w)
      : "l"(p), "l"(policy), "r"(int(there)));
  return w;
}

}  // namespace warpath::ptx
