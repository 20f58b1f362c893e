#pragma once

// PTX's instructions on float and double, to the last bit as an H200 computes them (tests/ptx/results.txt). The
// approximate ones give the accurate result. NaN that a float instruction makes is 0x7fffffff; of doubles it is an
// operand's.

#include <simt/math_rounding.h>
#include <simt/ptx_values.h>

#include <cfenv>
#include <cmath>
#include <limits>

namespace simt::ptx {

inline float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}
template <unsigned F, class T>
T operand(T x) {
  if constexpr ((F & flag_ftz) != 0 && sizeof(T) == 4) return flush(x);
  return x;
}
template <unsigned F, class T>
T result(T x) {
  x = operand<F>(x);
  if constexpr ((F & flag_sat) != 0) return x > 0 ? (x < 1 ? x : T{1}) : T{0};  // NaN too is zero
  if constexpr (sizeof(T) == 4) return x != x ? __builtin_bit_cast(float, 0x7fffffffu) : x;
  return x;
}
inline constexpr int mode_of(unsigned flags) {
  constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  return modes[flags & rounding];
}
inline double quiet(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, x) | 1ull << 51);
}
// What is less than the smallest normal number before it is rounded to a subnormal one is flushed, even if it would be
// rounded to that number: `scaled` is the same result times 2^64.
template <unsigned F, class T, class Scaled>
T flush_before_rounding(T x, Scaled scaled) {
  if constexpr ((F & flag_ftz) != 0 && sizeof(T) == 4) {
    if (std::fabs(x) == 0x1p-126f && std::fabs(scaled()) < 0x1p-62f) return std::copysign(T{0}, x);
  }
  return x;
}
template <unsigned F, class T, class Operation, class... Operands>
T rounded(Operation operation, Operands... operands) {
  return result<F>(in_mode<mode_of(F), T>(operation, operand<F>(operands)...));
}

template <class T, unsigned F>
T fadd(T a, T b) {
  return rounded<F, T>([](T x, T y) { return x + y; }, a, b);
}
template <class T, unsigned F>
T fsub(T a, T b) {
  return rounded<F, T>([](T x, T y) { return x - y; }, a, b);
}
template <class T, unsigned F>
T fmul(T a, T b) {
  const auto multiply = [](T x, T y) { return x * y; };
  return flush_before_rounding<F>(rounded<F, T>(multiply, a, b), [&] {
    const bool first = std::fabs(a) < std::fabs(b);  // the other one may be large
    return in_mode<mode_of(F), T>(multiply, operand<F>(first ? a : b) * T(0x1p64),
                                  operand<F>(first ? b : a));
  });
}
template <class T, unsigned F>
T ffma(T a, T b, T c) {
  const auto multiply_add = [](T x, T y, T z) { return std::fma(x, y, z); };
  if constexpr (sizeof(T) == 8) {
    for (const T x : {a, c, b})
      if (x != x) return quiet(x);
  }
  return flush_before_rounding<F>(rounded<F, T>(multiply_add, a, b, c), [&] {
    const bool first = std::fabs(a) < std::fabs(b);
    return in_mode<mode_of(F), T>(multiply_add, operand<F>(first ? a : b) * T(0x1p64),
                                  operand<F>(first ? b : a), operand<F>(c) * T(0x1p64));
  });
}
template <class T, unsigned F>
T fdiv(T a, T b) {
  const auto divide = [](T x, T y) { return x / y; };
  return flush_before_rounding<F>(rounded<F, T>(divide, a, b), [&] {
    return in_mode<mode_of(F), T>(divide, operand<F>(a) * T(0x1p64), operand<F>(b));
  });
}
// A divisor above 2^126 gives zero, or NaN under an infinity.
template <class T, unsigned F>
T fdiv_approx(T a, T b) {
  if (std::fabs(b) > 0x1p126f && std::fabs(b) < std::numeric_limits<T>::infinity()) {
    return result<F>(operand<F>(a) * std::copysign(T{0}, b));
  }
  return fdiv<T, F>(a, b);
}
template <class T, unsigned F>
T frcp(T a) {
  return fdiv<T, F>(T{1}, a);
}
template <class T, unsigned F>
T fsqrt(T a) {
  return rounded<F, T>([](T x) { return std::sqrt(x); }, a);
}
template <class T, unsigned F>
T frsqrt(T a) {
  const T x = operand<F>(a);
  return result<F>(static_cast<T>(1.0L / std::sqrt(static_cast<long double>(x))));
}
// The coarse functions of double look at the upper 32 bits and give as many.
inline double upper_half(double x) {
  return __builtin_bit_cast(double, __builtin_bit_cast(unsigned long long, x) >> 32 << 32);
}
inline double flush_upper(double x) {
  return std::fabs(x) < std::numeric_limits<double>::min() ? std::copysign(0.0, x) : upper_half(x);
}
template <class T, unsigned F>
T frcp_coarse(T a) {
  return flush_upper(1.0 / flush_upper(a));
}
template <class T, unsigned F>
T frsqrt_coarse(T a) {
  return flush_upper(1.0 / std::sqrt(flush_upper(a)));
}
template <class T, unsigned F>
T fsin(T a) {
  return result<F>(std::sin(operand<F>(a)));
}
template <class T, unsigned F>
T fcos(T a) {
  return result<F>(std::cos(operand<F>(a)));
}
template <class T, unsigned F>
T flg2(T a) {
  return result<F>(std::log2(operand<F>(a)));
}
template <class T, unsigned F>
T fex2(T a) {
  return result<F>(std::exp2(operand<F>(a)));
}
template <class T, unsigned F>
T ftanh(T a) {
  return result<F>(std::tanh(a));
}

template <class T, unsigned F>
T fabs_of(T a) {
  if (sizeof(T) == 8 && a != a) return static_cast<T>(quiet(a));
  return result<F>(std::fabs(a));
}
template <class T, unsigned F>
T fneg(T a) {
  if (sizeof(T) == 8 && a != a) return static_cast<T>(quiet(a));
  return result<F>(-a);
}
// The sign of a and the size of b.
template <class T, unsigned F>
T fcopysign(T a, T b) {
  return std::copysign(b, a);
}

// +0 is greater than -0. A NaN loses against a number, or wins with ".NaN".
template <unsigned F, bool Larger, class T>
T extreme(T a, T b) {
  const bool negative = std::signbit(a) != std::signbit(b);
  T x = operand<F>(a), y = operand<F>(b);
  if constexpr ((F & flag_xorsign) != 0) {
    x = std::fabs(x);
    y = std::fabs(y);
  }
  const bool x_nan = x != x, y_nan = y != y;
  T out;
  if (sizeof(T) == 8 && x_nan && y_nan) {
    return static_cast<T>(quiet(x));
  } else if ((x_nan && y_nan) || ((F & flag_NaN) != 0 && (x_nan || y_nan))) {
    return result<0>(std::numeric_limits<T>::quiet_NaN());
  } else if (x_nan || y_nan) {
    out = x_nan ? y : x;
  } else if (x == y) {
    out = std::signbit(x) == Larger ? y : x;
  } else {
    out = (x > y) == Larger ? x : y;
  }
  return (F & flag_xorsign) != 0 && negative ? -out : out;
}
template <class T, unsigned F>
T fmax_of(T a, T b) {
  return extreme<F, true>(a, b);
}
template <class T, unsigned F>
T fmin_of(T a, T b) {
  return extreme<F, false>(a, b);
}

template <class T, unsigned F>
bool is_finite(T a) {
  return std::isfinite(a);
}
template <class T, unsigned F>
bool is_infinite(T a) {
  return std::isinf(a);
}
template <class T, unsigned F>
bool is_a_number(T a) {
  return !std::isnan(a);
}
template <class T, unsigned F>
bool is_not_a_number(T a) {
  return std::isnan(a);
}
// Zero is one, too.
template <class T, unsigned F>
bool is_normal(T a) {
  return std::isnormal(a) || a == 0;
}
template <class T, unsigned F>
bool is_subnormal(T a) {
  return std::fpclassify(a) == FP_SUBNORMAL;
}

}  // namespace simt::ptx
