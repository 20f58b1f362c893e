#pragma once

// Conversions in a chosen rounding mode, and numbers as bits. Out of range saturates, as the GPU's
// conversion instructions do; C++ leaves it undefined.

#include <simt/math_rounding.h>

#include <cstring>
#include <limits>

namespace simt {

template <int Mode, class T>
inline T round_to_integer(T x) {
  if constexpr (Mode == FE_TONEAREST) return std::nearbyint(x);
  if constexpr (Mode == FE_TOWARDZERO) return std::trunc(x);
  if constexpr (Mode == FE_UPWARD) return std::ceil(x);
  return std::floor(x);
}

// x is a whole number or not finite.
template <class To, class From>
inline To saturate_to(From x) {
  using Limits = std::numeric_limits<To>;
  // The largest value plus one is a power of two, so it is exact in any floating type.
  constexpr From above = static_cast<From>(Limits::max() / 2 + 1) * 2;
  if (x != x) {
    // The GPU gives 0 from a float to 32 bits and less, else the highest bit alone.
    const bool zero = sizeof(To) < 8 && sizeof(From) < 8;
    return zero ? To{0} : static_cast<To>(To{1} << (8 * sizeof(To) - 1));
  }
  if (x >= above) return Limits::max();
  if (x < static_cast<From>(Limits::min())) return Limits::min();
  return static_cast<To>(x);
}

template <class To, int Mode, class From>
inline To float_to_integer(From x) {
  return saturate_to<To>(round_to_integer<Mode>(x));
}

template <class To, int Mode, class From>
inline To rounded_cast(From x) {
  return in_mode<Mode, To>([](From v) { return static_cast<To>(v); }, x);
}

template <class To, class From>
inline To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from), sizeof to);
  return to;
}

}  // namespace simt

#define SIMT_CONVERSIONS(SUFFIX, MODE)                          \
  inline int __float2int_##SUFFIX(float x) {                    \
    return simt::float_to_integer<int, MODE>(x);                \
  }                                                             \
  inline unsigned __float2uint_##SUFFIX(float x) {              \
    return simt::float_to_integer<unsigned, MODE>(x);           \
  }                                                             \
  inline long long __float2ll_##SUFFIX(float x) {               \
    return simt::float_to_integer<long long, MODE>(x);          \
  }                                                             \
  inline unsigned long long __float2ull_##SUFFIX(float x) {     \
    return simt::float_to_integer<unsigned long long, MODE>(x); \
  }                                                             \
  inline int __double2int_##SUFFIX(double x) {                  \
    return simt::float_to_integer<int, MODE>(x);                \
  }                                                             \
  inline unsigned __double2uint_##SUFFIX(double x) {            \
    return simt::float_to_integer<unsigned, MODE>(x);           \
  }                                                             \
  inline long long __double2ll_##SUFFIX(double x) {             \
    return simt::float_to_integer<long long, MODE>(x);          \
  }                                                             \
  inline unsigned long long __double2ull_##SUFFIX(double x) {   \
    return simt::float_to_integer<unsigned long long, MODE>(x); \
  }                                                             \
  inline float __int2float_##SUFFIX(int x) {                    \
    return simt::rounded_cast<float, MODE>(x);                  \
  }                                                             \
  inline float __uint2float_##SUFFIX(unsigned x) {              \
    return simt::rounded_cast<float, MODE>(x);                  \
  }                                                             \
  inline float __ll2float_##SUFFIX(long long x) {               \
    return simt::rounded_cast<float, MODE>(x);                  \
  }                                                             \
  inline float __ull2float_##SUFFIX(unsigned long long x) {     \
    return simt::rounded_cast<float, MODE>(x);                  \
  }                                                             \
  inline double __ll2double_##SUFFIX(long long x) {             \
    return simt::rounded_cast<double, MODE>(x);                 \
  }                                                             \
  inline double __ull2double_##SUFFIX(unsigned long long x) {   \
    return simt::rounded_cast<double, MODE>(x);                 \
  }                                                             \
  inline float __double2float_##SUFFIX(double x) {              \
    return simt::rounded_cast<float, MODE>(x);                  \
  }

SIMT_CONVERSIONS(rn, FE_TONEAREST)
SIMT_CONVERSIONS(rz, FE_TOWARDZERO)
SIMT_CONVERSIONS(ru, FE_UPWARD)
SIMT_CONVERSIONS(rd, FE_DOWNWARD)

#undef SIMT_CONVERSIONS

inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}

inline int __float_as_int(float x) {
  return simt::bit_cast<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return simt::bit_cast<unsigned>(x);
}
inline float __int_as_float(int x) {
  return simt::bit_cast<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return simt::bit_cast<float>(x);
}
inline long long __double_as_longlong(double x) {
  return simt::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return simt::bit_cast<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  const unsigned long long bits = static_cast<unsigned long long>(static_cast<unsigned>(high))
                                  << 32;
  return simt::bit_cast<double>(bits | static_cast<unsigned>(low));
}
