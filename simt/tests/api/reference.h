#pragma once

// A slow reference for small floating-point formats that shares nothing with the headers under
// test: it lists every value of a format and finds the neighbours of a number by search.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace reference {

using Wide = __float128;  // 113 bits: sums and products of small floats are exact

enum class Mode { nearest, zero, up, down };

// bits in total, of which mantissa_bits; top is the largest finite magnitude.
struct Format {
  int mantissa_bits, bias;
  unsigned top, infinity, nan, sign;
};

inline constexpr Format half{10, 15, 0x7BFF, 0x7C00, 0x7FFF, 0x8000};
inline constexpr Format bfloat16{7, 127, 0x7F7F, 0x7F80, 0x7FFF, 0x8000};
inline constexpr Format e4m3{3, 7, 0x7E, 0x7F, 0x7F, 0x80};
inline constexpr Format e5m2{2, 15, 0x7B, 0x7C, 0x7F, 0x80};

// The value of a finite pattern, from the definition.
inline double decode(const Format& f, unsigned bits) {
  const unsigned magnitude = bits & (f.sign - 1);
  const int exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  const double mantissa = magnitude & ((1u << f.mantissa_bits) - 1);
  const double one = 1 << f.mantissa_bits;
  const double value = exponent == 0 ? std::ldexp(mantissa / one, 1 - f.bias)
                                     : std::ldexp(1 + mantissa / one, exponent - f.bias);
  return bits & f.sign ? -value : value;
}

inline std::vector<double> magnitudes(const Format& f) {
  std::vector<double> values;
  for (unsigned bits = 0; bits <= f.top; ++bits) values.push_back(decode(f, bits));
  return values;
}

// The pattern a finite number rounds to. Past the largest value the next one, had the format
// another exponent, stands for infinity.
inline unsigned encode(const Format& f, const std::vector<double>& values, Wide x, bool negative,
                       Mode mode) {
  const Wide size = x < 0 ? -x : x;
  const unsigned sign = negative ? f.sign : 0;
  const double step = values[f.top] - values[f.top - 1];
  const bool towards_zero =
      mode == Mode::zero || (mode == Mode::up && negative) || (mode == Mode::down && !negative);
  if (size > static_cast<Wide>(values[f.top])) {
    if (towards_zero) return sign | f.top;
    const Wide tie = static_cast<Wide>(values[f.top]) + static_cast<Wide>(step) / 2;
    // The largest pattern of a format with infinities is odd, so a tie goes away from it; e4m3's is
    // even, and a tie stays.
    const bool over = size > tie || (size == tie && (f.top & 1));
    return mode != Mode::nearest || over ? sign | f.infinity : sign | f.top;
  }
  const auto above = std::lower_bound(values.begin(), values.end(), size,
                                      [](double v, Wide s) { return static_cast<Wide>(v) < s; });
  const unsigned high = static_cast<unsigned>(above - values.begin());
  if (static_cast<Wide>(values[high]) == size) return sign | high;
  const unsigned low = high - 1;
  if (towards_zero) return sign | low;
  if (mode != Mode::nearest) return sign | high;
  const Wide down = size - static_cast<Wide>(values[low]);
  const Wide up = static_cast<Wide>(values[high]) - size;
  if (down != up) return sign | (down < up ? low : high);
  return sign | (low & 1 ? high : low);
}

// Numbers of every size: any bits, and values near those of a small format.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  float any_float() {
    const auto word = static_cast<std::uint32_t>(engine_());
    float value;
    __builtin_memcpy(&value, &word, sizeof value);
    return value;
  }
  // 2^-30 to 2^30, all mantissas.
  double ordinary() {
    const double mantissa = 1 + static_cast<double>(engine_() >> 12) * 0x1p-52;
    const double value = std::ldexp(mantissa, static_cast<int>(engine_() % 61) - 30);
    return engine_() & 1 ? -value : value;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace reference
