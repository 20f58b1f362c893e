#pragma once

// Floating-point formats of 16 and 8 bits: exact conversions from and to float and double.

#include <cstdint>

namespace simt {

enum class Round { nearest, zero, up, down };

// What happens to a value whose rounded magnitude is above the largest finite one.
enum class Overflow { infinity, saturate, nan };

// mantissa_bits without the implicit one; min_exponent of the smallest normal number; all as sign,
// exponent, mantissa in `bits` bits.
struct HalfFormat {
  static constexpr int mantissa_bits = 10, min_exponent = -14;
  static constexpr unsigned sign = 0x8000, largest = 0x7BFF, infinity = 0x7C00, nan = 0x7FFF;
};
struct Bfloat16Format {
  static constexpr int mantissa_bits = 7, min_exponent = -126;
  static constexpr unsigned sign = 0x8000, largest = 0x7F7F, infinity = 0x7F80, nan = 0x7FFF;
};
struct E4M3Format {  // has no infinity
  static constexpr int mantissa_bits = 3, min_exponent = -6;
  static constexpr unsigned sign = 0x80, largest = 0x7E, infinity = 0x7F, nan = 0x7F;
};
struct E5M2Format {
  static constexpr int mantissa_bits = 2, min_exponent = -14;
  static constexpr unsigned sign = 0x80, largest = 0x7B, infinity = 0x7C, nan = 0x7F;
};

// Any double to any format, rounded once. A NaN becomes the format's one NaN, as on a GPU.
template <class F>
inline constexpr unsigned encode(double value, Round round = Round::nearest,
                                 Overflow overflow = Overflow::infinity) {
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  const int field = static_cast<int>(bits >> 52 & 0x7FF);
  const bool negative = bits >> 63 != 0;
  const unsigned sign = negative ? F::sign : 0;
  if (field == 0x7FF && fraction != 0) return F::nan;

  unsigned magnitude = 0;
  bool too_large = field == 0x7FF;
  if (!too_large) {
    const int exponent = field == 0 ? -1022 : field - 1023;
    const std::uint64_t significand = field == 0 ? fraction : fraction | std::uint64_t{1} << 52;
    const bool normal = exponent >= F::min_exponent;
    const int wanted = 52 - F::mantissa_bits + (normal ? 0 : F::min_exponent - exponent);
    const int shift = wanted > 62 ? 62 : wanted;  // beyond that only "not zero" matters
    const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
    std::uint64_t kept = significand >> shift;
    switch (round) {
      case Round::nearest:
        kept += rest > tie || (rest == tie && (kept & 1));
        break;
      case Round::zero:
        break;
      case Round::up:
        kept += rest != 0 && !negative;
        break;
      case Round::down:
        kept += rest != 0 && negative;
        break;
    }
    // A mantissa that rounds up to the next power of two carries into the exponent by itself.
    const int base = normal ? (exponent - F::min_exponent) << F::mantissa_bits : 0;
    const std::uint64_t sum = static_cast<std::uint64_t>(base) + kept;
    too_large = sum > F::largest;
    magnitude = static_cast<unsigned>(sum);
    // Rounding towards zero, or away from this infinity, stops at the largest number.
    const bool stops = round == Round::zero || (round == Round::up && negative) ||
                       (round == Round::down && !negative);
    if (too_large && stops) return sign | F::largest;
  }
  if (!too_large) return sign | magnitude;
  if (overflow == Overflow::saturate) return sign | F::largest;
  return overflow == Overflow::nan ? sign | F::nan : sign | F::infinity;
}

// A NaN of a double as the GPU's instruction for doubles narrows it: unlike all others, that one
// keeps the sign and the first bits.
template <class F>
inline constexpr unsigned narrow_nan(double nan) {
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, nan);
  const unsigned sign = bits >> 63 ? F::sign : 0;
  if (F::infinity == F::nan) return sign | F::nan;  // e4m3 has but one
  const unsigned quiet = 1u << (F::mantissa_bits - 1);
  const auto payload = static_cast<unsigned>(bits >> (52 - F::mantissa_bits));
  return sign | F::infinity | quiet | (payload & ((quiet << 1) - 1));
}

// A double to a float that can be rounded again: where inexact, the last bit is set (round to odd),
// so a second rounding to fewer bits gives what one rounding would have.
inline float odd_float(double value) {
  const float near = static_cast<float>(value);
  if (static_cast<double>(near) == value || near != near) return near;
  std::uint32_t bits = __builtin_bit_cast(std::uint32_t, near);
  if (bits & 1) return near;
  const bool away = (near < 0 ? -near : near) > (value < 0 ? -value : value);
  bits = away ? bits - 1 : bits + 1;
  return __builtin_bit_cast(float, bits);
}

// The same for integers of 64 bits and double.
inline double odd_double(unsigned long long value) {
  if (value >> 53 == 0) return static_cast<double>(value);
  const unsigned long long low = value & 0x7FF;
  return static_cast<double>((value ^ low) | (low ? 0x800 : 0));
}
inline double odd_double(long long value) {
  const unsigned long long bits = static_cast<unsigned long long>(value);
  return value < 0 ? -odd_double(0 - bits) : odd_double(bits);
}

// An integer as a double that may be rounded to fewer bits.
template <class I>
inline double exact_or_odd(I value) {
  if constexpr (sizeof(I) < 8) {
    return static_cast<double>(value);
  } else {
    return odd_double(value);
  }
}

// The same for a * b + c, where a * b is exact.
inline double odd_fma(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  if (error == 0 || !(error == error) || __builtin_isinf(sum)) return sum;
  std::uint64_t bits = __builtin_bit_cast(std::uint64_t, sum);
  if (bits & 1) return sum;
  const bool away = (error < 0) == (sum > 0);  // the exact sum is nearer to zero
  bits = away ? bits - 1 : bits + 1;
  return __builtin_bit_cast(double, bits);
}

// The hot conversions by hand: a kernel on 16-bit data does little else.

inline unsigned short float_to_half(float value) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & 0x7FFFFFFF;
  if (__builtin_expect(magnitude - 0x38800000 < 0x47800000 - 0x38800000, 1)) {  // 2^-14 to 65536
    const std::uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
    return static_cast<unsigned short>(sign | ((rounded - 0x38000000) >> 13));
  }
  if (magnitude >= 0x47800000)  // infinity, NaN
    return static_cast<unsigned short>(magnitude > 0x7F800000 ? 0x7FFF : sign | 0x7C00);
  // Subnormal: adding 0.5, whose last bit is a half's smallest step, rounds in hardware.
  const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
  return static_cast<unsigned short>(sign |
                                     (__builtin_bit_cast(std::uint32_t, shifted) - 0x3F000000));
}

inline float half_to_float(unsigned short half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t magnitude = half & 0x7FFF;
  if (__builtin_expect(magnitude - 0x0400 < 0x7C00 - 0x0400, 1))
    return __builtin_bit_cast(float, sign | ((magnitude << 13) + 0x38000000));
  if (magnitude < 0x0400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return sign ? -value : value;
  }
  return __builtin_bit_cast(float, magnitude > 0x7C00 ? 0x7FFFFFFF : sign | 0x7F800000);
}

inline unsigned short float_to_bfloat16(float value) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, value);
  if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FFF;
  return static_cast<unsigned short>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

inline float bfloat16_to_float(unsigned short value) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(value) << 16);
}

// e4m3 has no infinity, and its NaN is all ones.
inline float e4m3_to_float(unsigned char byte) {
  if ((byte & 0x7fu) == 0x7fu) return __builtin_bit_cast(float, 0x7FFFFFFFu);
  const float size =
      __builtin_bit_cast(float, static_cast<std::uint32_t>(byte & 0x7fu) << 20) * 0x1p120f;
  return (byte & 0x80u) != 0 ? -size : size;
}

}  // namespace simt
