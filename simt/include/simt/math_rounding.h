#pragma once

// Arithmetic in a chosen rounding mode: _rn to nearest even, _rz towards zero, _ru up, _rd down.

#include <simt/math_standard.h>

#include <cfenv>

namespace simt {

// The compiler may not know the value after this, nor move its computation past it.
template <class T>
inline void opaque(T& value) {
  asm volatile("" : "+m"(value) : : "memory");
}

// Runs one operation in another rounding mode. The compiler does not know about modes: without the
// fences around operands and result it would compute ahead of the change, or at compile time.
template <int Mode, class R, class F, class... Ts>
inline R in_mode(F operation, Ts... operands) {
  if constexpr (Mode == FE_TONEAREST) {
    return operation(operands...);
  } else {
    const int before = std::fegetround();
    std::fesetround(Mode);
    (opaque(operands), ...);
    R result = operation(operands...);
    opaque(result);
    std::fesetround(before);
    return result;
  }
}

}  // namespace simt

#define SIMT_ROUNDED(SUFFIX, MODE)                                                                 \
  inline float __fadd_##SUFFIX(float a, float b) {                                                 \
    return simt::in_mode<MODE, float>([](float x, float y) { return x + y; }, a, b);               \
  }                                                                                                \
  inline float __fsub_##SUFFIX(float a, float b) {                                                 \
    return simt::in_mode<MODE, float>([](float x, float y) { return x - y; }, a, b);               \
  }                                                                                                \
  inline float __fmul_##SUFFIX(float a, float b) {                                                 \
    return simt::in_mode<MODE, float>([](float x, float y) { return x * y; }, a, b);               \
  }                                                                                                \
  inline float __fdiv_##SUFFIX(float a, float b) {                                                 \
    return simt::in_mode<MODE, float>([](float x, float y) { return x / y; }, a, b);               \
  }                                                                                                \
  inline float __fmaf_##SUFFIX(float a, float b, float c) {                                        \
    return simt::in_mode<MODE, float>([](float x, float y, float z) { return std::fma(x, y, z); }, \
                                      a, b, c);                                                    \
  }                                                                                                \
  inline float __fsqrt_##SUFFIX(float a) {                                                         \
    return simt::in_mode<MODE, float>([](float x) { return std::sqrt(x); }, a);                    \
  }                                                                                                \
  inline float __frcp_##SUFFIX(float a) {                                                          \
    return __fdiv_##SUFFIX(1.0f, a);                                                               \
  }                                                                                                \
  inline double __dadd_##SUFFIX(double a, double b) {                                              \
    return simt::in_mode<MODE, double>([](double x, double y) { return x + y; }, a, b);            \
  }                                                                                                \
  inline double __dsub_##SUFFIX(double a, double b) {                                              \
    return simt::in_mode<MODE, double>([](double x, double y) { return x - y; }, a, b);            \
  }                                                                                                \
  inline double __dmul_##SUFFIX(double a, double b) {                                              \
    return simt::in_mode<MODE, double>([](double x, double y) { return x * y; }, a, b);            \
  }                                                                                                \
  inline double __ddiv_##SUFFIX(double a, double b) {                                              \
    return simt::in_mode<MODE, double>([](double x, double y) { return x / y; }, a, b);            \
  }                                                                                                \
  inline double __fma_##SUFFIX(double a, double b, double c) {                                     \
    return simt::in_mode<MODE, double>(                                                            \
        [](double x, double y, double z) { return std::fma(x, y, z); }, a, b, c);                  \
  }                                                                                                \
  inline double __dsqrt_##SUFFIX(double a) {                                                       \
    return simt::in_mode<MODE, double>([](double x) { return std::sqrt(x); }, a);                  \
  }                                                                                                \
  inline double __drcp_##SUFFIX(double a) {                                                        \
    return __ddiv_##SUFFIX(1.0, a);                                                                \
  }

SIMT_ROUNDED(rn, FE_TONEAREST)
SIMT_ROUNDED(rz, FE_TOWARDZERO)
SIMT_ROUNDED(ru, FE_UPWARD)
SIMT_ROUNDED(rd, FE_DOWNWARD)

#undef SIMT_ROUNDED

// The _ieee forms keep subnormals even under flush-to-zero; nothing here flushes them.
inline float __fmaf_ieee_rn(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
inline float __fmaf_ieee_rz(float a, float b, float c) {
  return __fmaf_rz(a, b, c);
}
inline float __fmaf_ieee_ru(float a, float b, float c) {
  return __fmaf_ru(a, b, c);
}
inline float __fmaf_ieee_rd(float a, float b, float c) {
  return __fmaf_rd(a, b, c);
}

// Through long double, whose eleven extra bits leave one rounding.
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0L / std::sqrt(static_cast<long double>(x)));
}
