// What the words of a random generator stand for: the first steps of a draw, exact in float and the same on host and GPU.
#pragma once
#include <cstdint>

namespace warpath {

// In [0, 1), a multiple of 2^-Digits: exact in a type that holds that many binary digits, so 1 never comes. A number of
// 24 digits rounded to 8 would be 1 every 512th time.
template <int Digits>
constexpr float uniform_digits(std::uint32_t word) {
  return float(word >> (32 - Digits)) * (1.0f / float(std::uint32_t(1) << Digits));
}

// In (0, 1]: for a logarithm. Small numbers keep their digits, down to 2^-33: with only 24 binary places, no normal
// number would be beyond 5.8 standard deviations. The product is exact, so an FMA changes nothing.
constexpr float uniform_above_zero(std::uint32_t word) {
  return float(word) * 0x1p-32f + 0x1p-33f;
}

// In [-1, 1]: an angle in half turns.
constexpr float half_turns(std::uint32_t word) {
  return float(std::int32_t(word)) * 0x1p-31f;
}

}  // namespace warpath
