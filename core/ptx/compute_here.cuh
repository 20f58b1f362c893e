// When a value is computed.
#pragma once

namespace warpath::ptx {

// Forces `value` to be computed here, where it overlaps other work, not at its first use.
__device__ __forceinline__ void compute_here([[maybe_unused]] int& value) {
  asm volatile("" : "+r"(value));
}

// Forces what is made of `words` to be made again after this. In a loop: values converted from words that do
// not change would be converted once before it, and take more registers than the words.
__device__ __forceinline__ void convert_again([[maybe_unused]] uint4& words) {
  asm volatile("" : "+r"(words.x), "+r"(words.y), "+r"(words.z), "+r"(words.w));
}

}  // namespace warpath::ptx
