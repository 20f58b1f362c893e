#pragma once

// Special functions CUDA has and C does not.

#include <simt/math_standard.h>

#include <limits>

// exp(x * x) * erfc(x), which neither overflows nor underflows before the product does.
inline double erfcx(double x) {
  if (x > 10) {
    // Asymptotic series: at x = 10 the terms fall below 1e-17 after fourteen.
    const double step = -1.0 / (2.0 * x * x);
    double term = 1, sum = 1;
    for (int n = 1; n <= 14; ++n) {
      term *= (2 * n - 1) * step;
      sum += term;
    }
    return sum / (x * 1.7724538509055160273);  // sqrt(pi)
  }
  // x * x carried to twice the precision: its rounding error would be multiplied by x * x.
  const double square = x * x;
  const double rest = std::fma(x, x, -square);
  const double scale = std::exp(square);
  if (std::isinf(scale)) return scale;
  return scale * std::erfc(x) * (1.0 + rest);
}

namespace simt {

// erfcinv on (0, 1/2]: Newton on log(erfc(x)) = log(z), which converges for the smallest z too.
inline double erfcinv_tail(double z) {
  const double log_z = std::log(z);
  double x = std::sqrt(-log_z) - 0.3;
  for (int i = 0; i < 12; ++i) {
    const double step = (std::log(std::erfc(x)) - log_z) * 0.88622692545275801365 * ::erfcx(x);
    x += step;
    if (std::fabs(step) < 1e-16 * x) break;
  }
  return x;
}

// erfinv on [-1/2, 1/2]: Newton on erf(x) = y.
inline double erfinv_centre(double y) {
  double x = 0.88622692545275801365 * y;  // sqrt(pi) / 2
  for (int i = 0; i < 8; ++i) {
    const double step = (std::erf(x) - y) * 0.88622692545275801365 * std::exp(x * x);
    x -= step;
    if (std::fabs(step) <= 1e-17 * std::fabs(x)) break;
  }
  return x;
}

}  // namespace simt

inline double erfcinv(double z) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!(z >= 0 && z <= 2)) return std::numeric_limits<double>::quiet_NaN();
  if (z == 0) return infinity;
  if (z == 2) return -infinity;
  if (z <= 0.5) return simt::erfcinv_tail(z);
  if (z >= 1.5) return -simt::erfcinv_tail(2 - z);  // 2 - z is exact here
  return simt::erfinv_centre(1 - z);
}

inline double erfinv(double y) {
  if (y >= -0.5 && y <= 0.5) return simt::erfinv_centre(y);
  return y > 0 ? erfcinv(1 - y) : -erfcinv(1 + y);
}

inline double normcdf(double x) {
  return 0.5 * std::erfc(x * -0.70710678118654752440);
}
inline double normcdfinv(double p) {
  return -1.41421356237309504880 * erfcinv(2 * p);
}

inline double cyl_bessel_i0(double x) {
  return std::cyl_bessel_i(0.0, std::fabs(x));
}
inline double cyl_bessel_i1(double x) {
  return std::copysign(std::cyl_bessel_i(1.0, std::fabs(x)), x);
}

SIMT_MATH_FLOAT_1(erfcx)
SIMT_MATH_FLOAT_1(erfcinv)
SIMT_MATH_FLOAT_1(erfinv)
SIMT_MATH_FLOAT_1(normcdf)
SIMT_MATH_FLOAT_1(normcdfinv)
SIMT_MATH_FLOAT_1(cyl_bessel_i0)
SIMT_MATH_FLOAT_1(cyl_bessel_i1)

#undef SIMT_MATH_1
#undef SIMT_MATH_FLOAT_1
