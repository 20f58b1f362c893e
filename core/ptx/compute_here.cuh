// When a value is computed.
#pragma once

namespace warpath::ptx {

// Forces `value` to be computed here, where it overlaps other work, not at its first use.
__device__ __forceinline__ void compute_here([[maybe_unused]] int& value) {
  asm volatile("" : "+r"(value));
}

}  // namespace warpath::ptx
