// Four lanes transpose a square of words.
#pragma once
#include <cstdint>

namespace warpath {

// Lanes 4 i to 4 i + 3: word w of lane l becomes word l of lane w. All lanes of the warp must take
// part.
__device__ __forceinline__ void transpose_4x4(std::uint32_t (&word)[4]) {
  const auto exchange = [](std::uint32_t& low, std::uint32_t& high, unsigned distance) {
    const bool upper = threadIdx.x & distance;
    const std::uint32_t got = __shfl_xor_sync(0xffffffffu, upper ? low : high, distance);
    (upper ? low : high) = got;
  };
  exchange(word[0], word[1], 1);
  exchange(word[2], word[3], 1);
  exchange(word[0], word[2], 2);
  exchange(word[1], word[3], 2);
}

}  // namespace warpath
