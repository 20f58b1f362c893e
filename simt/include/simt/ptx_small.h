#pragma once

// Inline PTX on half and bfloat16, alone and in pairs. The approximate functions give the accurate
// result, rounded once.

#include <simt/ptx_values.h>
#include <simt/small_float.h>

#include <cmath>

namespace simt::ptx {

enum SmallFlags : unsigned { no_flags = 0, small_ftz = 1, small_sat = 2, small_relu = 4 };

template <class Format>
double small_value(unsigned bits) {
  if constexpr (Format::mantissa_bits == HalfFormat::mantissa_bits) {
    return half_to_float(static_cast<unsigned short>(bits));
  } else {
    return bfloat16_to_float(static_cast<unsigned short>(bits));
  }
}
template <class Format>
bool small_is_nan(unsigned bits) {
  return (bits & 0x7FFFu) > Format::infinity;
}

#define SIMT_SMALL_1(NAME, EXPRESSION)             \
  struct NAME {                                    \
    template <class Format>                        \
    static unsigned of(unsigned first) {           \
      const double a = small_value<Format>(first); \
      return encode<Format>(EXPRESSION);           \
    }                                              \
  };
#define SIMT_SMALL_2(NAME, EXPRESSION)                                              \
  struct NAME {                                                                     \
    template <class Format>                                                         \
    static unsigned of(unsigned first, unsigned second) {                           \
      const double a = small_value<Format>(first), b = small_value<Format>(second); \
      return encode<Format>(EXPRESSION);                                            \
    }                                                                               \
  };
// Sums and products of these are exact in double.
SIMT_SMALL_2(SmallAdd, a + b)
SIMT_SMALL_2(SmallSub, a - b)
SIMT_SMALL_2(SmallMul, a* b)
SIMT_SMALL_1(SmallExp2, std::exp2(a))
SIMT_SMALL_1(SmallTanh, std::tanh(a))
#undef SIMT_SMALL_1
#undef SIMT_SMALL_2

struct SmallFma {
  template <class Format>
  static unsigned of(unsigned a, unsigned b, unsigned c) {
    return encode<Format>(
        odd_fma(small_value<Format>(a), small_value<Format>(b), small_value<Format>(c)));
  }
};
struct SmallNeg {
  template <class Format>
  static unsigned of(unsigned a) {
    return small_is_nan<Format>(a) ? Format::nan : a ^ Format::sign;
  }
};
struct SmallAbs {
  template <class Format>
  static unsigned of(unsigned a) {
    return small_is_nan<Format>(a) ? Format::nan : a & ~Format::sign;
  }
};

// A number wins over a NaN unless "NaN" is asked for, and +0 is larger than -0.
template <bool Larger, bool Nan>
struct SmallExtreme {
  template <class Format>
  static unsigned of(unsigned a, unsigned b) {
    const bool bad_a = small_is_nan<Format>(a), bad_b = small_is_nan<Format>(b);
    if ((Nan && (bad_a || bad_b)) || (bad_a && bad_b)) return Format::nan;
    if (bad_a) return b;
    if (bad_b) return a;
    const double x = small_value<Format>(a), y = small_value<Format>(b);
    if (x == y) return ((a & Format::sign) != 0) == Larger ? b : a;
    return (x > y) == Larger ? a : b;
  }
};
using SmallMax = SmallExtreme<true, false>;
using SmallMin = SmallExtreme<false, false>;
using SmallMaxNan = SmallExtreme<true, true>;
using SmallMinNan = SmallExtreme<false, true>;

// The sign is that of the product, the size the smaller or larger one.
template <class Extreme>
struct SmallXor {
  template <class Format>
  static unsigned of(unsigned a, unsigned b) {
    const unsigned size = Extreme::template of<Format>(a & ~Format::sign, b & ~Format::sign);
    return small_is_nan<Format>(size) ? Format::nan : size | ((a ^ b) & Format::sign);
  }
};
using SmallMinXor = SmallXor<SmallMin>;
using SmallMaxXor = SmallXor<SmallMax>;
using SmallMinNanXor = SmallXor<SmallMinNan>;
using SmallMaxNanXor = SmallXor<SmallMaxNan>;

template <class Format>
unsigned small_flush(unsigned bits) {
  return (bits & 0x7FFFu) < (1u << Format::mantissa_bits) ? bits & Format::sign : bits;
}

template <class Format, unsigned Flags>
unsigned small_finish(unsigned bits) {
  if ((Flags & small_ftz) != 0) bits = small_flush<Format>(bits);
  const double value = small_value<Format>(bits);
  if ((Flags & small_sat) != 0) {  // NaN becomes 0
    return value > 0 ? (value < 1 ? bits : encode<Format>(1.0)) : 0;
  }
  if ((Flags & small_relu) != 0 && value <= 0) return 0;
  return bits;
}

template <class Op, class Format, unsigned Flags, class... A>
unsigned short small_op(const A&... operands) {
  const auto input = [](unsigned short bits) -> unsigned {
    return (Flags & small_ftz) != 0 ? small_flush<Format>(bits) : bits;
  };
  return static_cast<unsigned short>(
      small_finish<Format, Flags>(Op::template of<Format>(input(as<unsigned short>(operands))...)));
}
template <class Op, class Format, unsigned Flags, class... A>
unsigned small_pair(const A&... operands) {
  const unsigned low =
      small_op<Op, Format, Flags>(static_cast<unsigned short>(as<unsigned>(operands))...);
  const unsigned high =
      small_op<Op, Format, Flags>(static_cast<unsigned short>(as<unsigned>(operands) >> 16)...);
  return low | high << 16;
}

}  // namespace simt::ptx
