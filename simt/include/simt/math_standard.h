#pragma once

// The C math library under CUDA's names, what CUDA adds to it, and max and min at global scope.

// These two are C++'s forms: they put the float and long double overloads of sin, abs, isnan and so
// on into the global namespace, where CUDA programs call them.
#include <math.h>
#include <stdlib.h>

#include <cmath>

// Newer C libraries have some of CUDA's functions themselves, with the same meaning.
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define SIMT_LIBC_HAS_SINPI
#endif
#if __GLIBC_PREREQ(2, 42)
#define SIMT_LIBC_HAS_RSQRT
#endif
#endif

namespace simt {

// The larger number, as fmax defines it: a NaN loses to a number, and +0 is larger than -0.
template <class T>
inline T max_number(T a, T b) {
  if (a > b) return a;
  if (b > a) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a != a ? b : a;
}
template <class T>
inline T min_number(T a, T b) {
  if (a < b) return a;
  if (b < a) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a != a ? b : a;
}

// sin and cos of pi * x, exact where the result is.
struct SinCosPi {
  double sin, cos;
};
inline SinCosPi sin_cos_pi(double x) {
  constexpr double pi = 3.14159265358979323846;
  if (!std::isfinite(x)) return {x - x, x - x};
  const double r = std::fmod(std::fabs(x), 2.0);
  const int quarter = static_cast<int>(std::nearbyint(r * 2.0));  // r is in [0, 2)
  const double t = (r - 0.5 * quarter) * pi;
  const double s = std::sin(t), c = std::cos(t);
  double sine = 0, cosine = 0;
  switch (quarter & 3) {
    case 0:
      sine = s, cosine = c;
      break;
    case 1:
      sine = c, cosine = -s;
      break;
    case 2:
      sine = -s, cosine = -c;
      break;
    default:
      sine = -c, cosine = s;
      break;
  }
  // + 0.0 makes a cosine of zero positive; a sine of zero has the sign of x.
  return {sine == 0 ? std::copysign(0.0, x) : std::copysign(1.0, x) * sine, cosine + 0.0};
}

template <class T>
inline T norm_of(int count, const T* values) {
  double largest = 0, sum = 0;
  for (int i = 0; i < count; ++i) {
    const double v = std::fabs(static_cast<double>(values[i]));
    if (std::isinf(v)) return static_cast<T>(v);
    largest = v > largest ? v : largest;
  }
  if (largest == 0) largest = 1;
  for (int i = 0; i < count; ++i) {
    const double v = static_cast<double>(values[i]) / largest;
    sum += v * v;
  }
  return static_cast<T>(largest * std::sqrt(sum));
}

}  // namespace simt

// The C library's own fmax and fmin are calls, give a NaN for a signalling one and leave the order
// of -0 and +0 open. These are the same functions, inline and as a GPU computes them.
#define SIMT_C_INLINE extern inline __attribute__((gnu_inline, always_inline))
extern "C" {
SIMT_C_INLINE float fmaxf(float a, float b) noexcept {
  return simt::max_number(a, b);
}
SIMT_C_INLINE float fminf(float a, float b) noexcept {
  return simt::min_number(a, b);
}
SIMT_C_INLINE double fmax(double a, double b) noexcept {
  return simt::max_number(a, b);
}
SIMT_C_INLINE double fmin(double a, double b) noexcept {
  return simt::min_number(a, b);
}
}  // extern "C"
#undef SIMT_C_INLINE

// --- max and min: CUDA has one for each pair of types, so that calls are never ambiguous with
// std::max under `using namespace std` (a plain function is preferred to a template).

#define SIMT_MAX_MIN(T, A, B)                                                             \
  inline T max(A a, B b) {                                                                \
    return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); \
  }                                                                                       \
  inline T min(A a, B b) {                                                                \
    return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); \
  }
#define SIMT_MAX_MIN_INTEGER(S, U) \
  SIMT_MAX_MIN(S, S, S)            \
  SIMT_MAX_MIN(U, U, U)            \
  SIMT_MAX_MIN(U, S, U)            \
  SIMT_MAX_MIN(U, U, S)

SIMT_MAX_MIN_INTEGER(int, unsigned int)
SIMT_MAX_MIN_INTEGER(long, unsigned long)
SIMT_MAX_MIN_INTEGER(long long, unsigned long long)

#undef SIMT_MAX_MIN_INTEGER
#undef SIMT_MAX_MIN

inline float max(float a, float b) {
  return simt::max_number(a, b);
}
inline float min(float a, float b) {
  return simt::min_number(a, b);
}
inline double max(double a, double b) {
  return simt::max_number(a, b);
}
inline double min(double a, double b) {
  return simt::min_number(a, b);
}
inline double max(float a, double b) {
  return simt::max_number<double>(a, b);
}
inline double min(float a, double b) {
  return simt::min_number<double>(a, b);
}
inline double max(double a, float b) {
  return simt::max_number<double>(a, b);
}
inline double min(double a, float b) {
  return simt::min_number<double>(a, b);
}

inline unsigned umax(unsigned a, unsigned b) {
  return max(a, b);
}
inline unsigned umin(unsigned a, unsigned b) {
  return min(a, b);
}
inline long long llmax(long long a, long long b) {
  return max(a, b);
}
inline long long llmin(long long a, long long b) {
  return min(a, b);
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}

// --- what CUDA adds. NAME(double), NAMEf(float) and NAME(float), computed in double: one rounding.

#define SIMT_MATH_FLOAT_1(NAME)                              \
  inline float NAME##f(float x) {                            \
    return static_cast<float>(NAME(static_cast<double>(x))); \
  }                                                          \
  inline float NAME(float x) {                               \
    return NAME##f(x);                                       \
  }
#define SIMT_MATH_1(NAME, ...)   \
  inline double NAME(double x) { \
    __VA_ARGS__;                 \
  }                              \
  SIMT_MATH_FLOAT_1(NAME)

#ifdef SIMT_LIBC_HAS_RSQRT
inline float rsqrt(float x) {
  return rsqrtf(x);
}
#else
SIMT_MATH_1(rsqrt, return 1.0 / std::sqrt(x))
#endif
SIMT_MATH_1(rcbrt, return 1.0 / std::cbrt(x))
#ifdef SIMT_LIBC_HAS_SINPI
inline float sinpi(float x) {
  return sinpif(x);
}
inline float cospi(float x) {
  return cospif(x);
}
#else
SIMT_MATH_1(sinpi, return simt::sin_cos_pi(x).sin)
SIMT_MATH_1(cospi, return simt::sin_cos_pi(x).cos)
#endif
inline float exp10(float x) {
  return exp10f(x);
}

inline void sincospi(double x, double* s, double* c) {
  const simt::SinCosPi both = simt::sin_cos_pi(x);
  *s = both.sin;
  *c = both.cos;
}
inline void sincospif(float x, float* s, float* c) {
  const simt::SinCosPi both = simt::sin_cos_pi(x);
  *s = static_cast<float>(both.sin);
  *c = static_cast<float>(both.cos);
}
inline void sincospi(float x, float* s, float* c) {
  sincospif(x, s, c);
}
inline void sincos(float x, float* s, float* c) {
  sincosf(x, s, c);
}

inline double rhypot(double x, double y) {
  return 1.0 / std::hypot(x, y);
}
inline float rhypotf(float x, float y) {
  return static_cast<float>(rhypot(static_cast<double>(x), static_cast<double>(y)));
}
inline float rhypot(float x, float y) {
  return rhypotf(x, y);
}

inline double norm3d(double a, double b, double c) {
  return std::hypot(a, b, c);
}
inline double norm4d(double a, double b, double c, double d) {
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}
inline double rnorm3d(double a, double b, double c) {
  return 1.0 / norm3d(a, b, c);
}
inline double rnorm4d(double a, double b, double c, double d) {
  return 1.0 / norm4d(a, b, c, d);
}
inline float norm3df(float a, float b, float c) {
  return static_cast<float>(norm3d(a, b, c));
}
inline float norm4df(float a, float b, float c, float d) {
  return static_cast<float>(norm4d(a, b, c, d));
}
inline float rnorm3df(float a, float b, float c) {
  return static_cast<float>(rnorm3d(a, b, c));
}
inline float rnorm4df(float a, float b, float c, float d) {
  return static_cast<float>(rnorm4d(a, b, c, d));
}
inline double norm(int count, const double* values) {
  return simt::norm_of(count, values);
}
inline float normf(int count, const float* values) {
  return simt::norm_of(count, values);
}
inline float norm(int count, const float* values) {
  return simt::norm_of(count, values);
}
inline double rnorm(int count, const double* values) {
  return 1.0 / norm(count, values);
}
inline float rnormf(int count, const float* values) {
  return 1.0f / norm(count, values);
}
inline float rnorm(int count, const float* values) {
  return rnormf(count, values);
}

inline float fdividef(float x, float y) {
  return x / y;
}
inline double fdivide(double x, double y) {
  return x / y;
}
inline float fdivide(float x, float y) {
  return x / y;
}

// CUDA has float overloads of the Bessel functions; the C library only has names with an f.
inline float j0(float x) {
  return j0f(x);
}
inline float j1(float x) {
  return j1f(x);
}
inline float jn(int n, float x) {
  return jnf(n, x);
}
inline float y0(float x) {
  return y0f(x);
}
inline float y1(float x) {
  return y1f(x);
}
inline float yn(int n, float x) {
  return ynf(n, x);
}
