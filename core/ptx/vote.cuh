// Lanes that agree about one bit.
#pragma once

namespace warpath::ptx {

// The lanes of the full warp in which `word & mask` is zero where it is zero here, and not zero where it is not. Four
// instructions; from __ballot_sync() and a condition nvcc makes seven.
__device__ __forceinline__ unsigned agreeing_lanes(unsigned word, unsigned mask) {
  unsigned lanes;
  asm volatile(
      "{.reg .pred is_set; .reg .b32 picked, turned;\n\t"
      "and.b32 picked, %1, %2;\n\t"
      "setp.ne.u32 is_set, picked, 0;\n\t"
      "vote.sync.ballot.b32 %0, is_set, 0xffffffff;\n\t"
      "selp.b32 turned, 0, 0xffffffff, is_set;\n\t"
      "xor.b32 %0, %0, turned;}"
      : "=r"(lanes)
      : "r"(word), "r"(mask));
  return lanes;
}

}  // namespace warpath::ptx
