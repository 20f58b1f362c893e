#pragma once

// PTX's cvt. Numbers go through double where it holds them exactly, or rounded to odd, so that the
// rounding asked for is the only one.

#include <simt/ptx_float.h>
#include <simt/ptx_integer.h>
#include <simt/small_float.h>

#include <cmath>
#include <type_traits>

namespace simt::ptx {

// 16 bits as a number, for the types that C++ does not have.
template <class Format>
struct Small16 {
  unsigned short bits;
  double value() const {
    return Format::mantissa_bits == HalfFormat::mantissa_bits ? half_to_float(bits)
                                                              : bfloat16_to_float(bits);
  }
};
using F16 = Small16<HalfFormat>;
using Bf16 = Small16<Bfloat16Format>;
struct Tf32Format {  // a float's upper 19 bits
  static constexpr int mantissa_bits = 10, min_exponent = -126;
  static constexpr unsigned sign = 0x40000, largest = 0x3FBFF, infinity = 0x3FC00, nan = 0x3FFFF;
};

template <class T>
inline constexpr bool is_small_float = false;
template <class Format>
inline constexpr bool is_small_float<Small16<Format>> = true;

constexpr Round round_of(unsigned flags) {
  constexpr Round all[] = {Round::nearest, Round::zero, Round::down, Round::up};
  return all[flags & rounding];
}

template <class T>
T whole(T x, unsigned flags) {
  switch (flags & rounding) {
    case flag_rz:
      return std::trunc(x);
    case flag_rm:
      return std::floor(x);
    case flag_rp:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

// Numbers outside the range become its nearest end. NaN is zero, or with 64 bits on either side
// the highest bit alone.
template <class To, class From>
To to_integer(From from, unsigned flags) {
  using Limits = std::numeric_limits<To>;
  if (from != from) {
    const bool high = sizeof(From) == 8 || sizeof(To) == 8;
    return high ? static_cast<To>(Bits<To>{1} << (width_of<To> - 1)) : To{0};
  }
  const From number = whole(from, flags);
  if (number >= static_cast<From>(Limits::max())) return Limits::max();
  if (number <= static_cast<From>(Limits::min())) return Limits::min();
  return static_cast<To>(number);
}

// NaN keeps its sign and the upper bits of its mantissa between double and 16 bits.
inline double widened_nan(unsigned short bits) {
  const unsigned long long sign = bits >> 15, mantissa = bits & 0x3ffu;
  return as<double>(sign << 63 | 0x7ff8ull << 48 | mantissa << 42);
}
template <class Format>
unsigned short narrowed_nan(double x) {
  const auto bits = as<unsigned long long>(x) | 1ull << 51;
  const auto sign = static_cast<unsigned>(bits >> 63) << 15;
  const auto mantissa = static_cast<unsigned>((bits << 12 >> 12) >> (52 - Format::mantissa_bits));
  return static_cast<unsigned short>(sign | Format::infinity | mantissa);
}

// Integral: rounded to a whole number that stays a float (cvt.rni.f32.f32).
template <class To, class From, unsigned F, bool Integral>
To convert(From from) {
  if constexpr (is_small_float<From>) {
    if constexpr (std::is_same_v<To, From> && !Integral && F == 0) return from;
    if constexpr (std::is_same_v<From, Bf16> && std::is_same_v<To, float> && !Integral && F == 0)
      return as<float>(static_cast<unsigned>(from.bits) << 16);
    if constexpr (std::is_same_v<From, F16> && std::is_same_v<To, double>) {
      if ((from.bits & 0x7fffu) > 0x7c00u) return widened_nan(from.bits);
    }
    return convert<To, float, F, Integral>(static_cast<float>(from.value()));
  } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return (F & flag_sat) != 0 ? held<To>(from) : static_cast<To>(from);
  } else if constexpr (std::is_integral_v<To>) {
    return to_integer<To>(operand<F>(from), F);
  } else if constexpr (is_small_float<To>) {
    double number;
    if constexpr (std::is_integral_v<From>) {
      number = exact_or_odd(from);
    } else {
      number = operand<F>(from);
      if (Integral) number = whole(number, F);
    }
    using Format = std::conditional_t<std::is_same_v<To, F16>, HalfFormat, Bfloat16Format>;
    if constexpr (std::is_same_v<From, double> && (F & flag_sat) == 0) {
      if (from != from) return {narrowed_nan<Format>(from)};
    }
    if ((F & flag_sat) != 0) number = number > 0 ? (number < 1 ? number : 1) : 0;
    return {static_cast<unsigned short>(encode<Format>(number, round_of(F)))};
  } else if constexpr (Integral) {
    return result<F>(static_cast<To>(whole(operand<F>(from), F)));
  } else if constexpr (std::is_integral_v<From>) {
    return result<F>(in_mode<mode_of(F), To>([](From x) { return static_cast<To>(x); }, from));
  } else {
    if constexpr (std::is_same_v<From, double> && (F & flag_sat) == 0) {
      if (from != from) return static_cast<To>(from);
    }
    if constexpr (std::is_same_v<From, float> && (F & flag_ftz) != 0) from = result<0>(from);
    return result<F>(
        in_mode<mode_of(F), To>([](From x) { return static_cast<To>(x); }, operand<F>(from)));
  }
}

// Floats to a narrower format, with .relu and .satfinite.
template <class Format, unsigned F, bool Finite>
unsigned narrow(float x) {
  if ((F & flag_relu) != 0 && x <= 0) return 0;
  return encode<Format>(x, round_of(F), Finite ? Overflow::saturate : Overflow::infinity);
}
template <class Format, unsigned F, bool Finite>
unsigned narrow_pair(float high, float low) {
  constexpr unsigned width = Format::sign == 0x80 ? 8 : 16;
  return narrow<Format, F, Finite>(high) << width | narrow<Format, F, Finite>(low);
}
template <class Format, unsigned F, bool Finite>
unsigned narrow_halves(unsigned pair) {
  return narrow_pair<Format, F, Finite>(half_to_float(static_cast<unsigned short>(pair >> 16)),
                                        half_to_float(static_cast<unsigned short>(pair)));
}
template <class Format, unsigned F>
unsigned widen_bytes(unsigned pair) {
  const auto one = [](unsigned byte) -> unsigned {
    const float x = Format::mantissa_bits == 3
                        ? e4m3_to_float(static_cast<unsigned char>(byte))
                        : half_to_float(static_cast<unsigned short>((byte & 0xFFu) << 8));
    return (F & flag_relu) != 0 && x <= 0 ? 0u : float_to_half(x);
  };
  return one(pair >> 8) << 16 | one(pair);
}

// cvt.rna: half away from zero; what it gives is still 32 bits.
template <bool Finite>
unsigned tf32_away(float x) {
  unsigned bits = as<unsigned>(x);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;
  bits &= 0xffffe000u;  // of NaN, too: it may become an infinity
  if (Finite && (bits & 0x7f800000u) == 0x7f800000u) bits -= 0x2000u;
  return bits;
}
template <unsigned F, bool Finite>
unsigned tf32(float x) {
  if (x != x) return 0x7fffe000u;
  return narrow<Tf32Format, F, Finite>(x) << 13;
}

// cvt.pack: two integers held inside Width bits, below the lower bits of c.
template <class To, unsigned Width>
unsigned pack_integers(int a, int b, unsigned c) {
  const auto one = [](int x) {
    constexpr int last = (1 << (std::is_signed_v<To> ? Width - 1 : Width)) - 1;
    constexpr int first = std::is_signed_v<To> ? -last - 1 : 0;
    return static_cast<unsigned>(x > last ? last : x < first ? first : x) & ((1u << Width) - 1);
  };
  const unsigned rest = Width < 16 ? c << 2 * Width : 0;
  return rest | one(a) << Width | one(b);
}

}  // namespace simt::ptx
