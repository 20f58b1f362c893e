// Functions that a GPU computes approximately: over many inputs the error must stay inside the
// bound of CUDA's programming guide. That it does is the fact; else the error found is printed.
#include "facts.h"

constexpr int count = 1 << 14;

// Error in units of the last place, as the guide counts it: from the double function's result, rounded.
__device__ double error_in_ulps(float got, double wanted) {
  if (isnan(got) && isnan(wanted)) return 0;
  const float near = static_cast<float>(wanted);
  if (got == near) return 0;
  if (isnan(got) || isnan(wanted) || isinf(got) || isinf(near)) return 1e9;
  const double ulp = fmax(ldexp(1.0, ilogbf(near) - 23), ldexp(1.0, -149));
  return fabs(static_cast<double>(got) - near) / ulp;
}

__device__ void keep_largest(unsigned long long* largest, double error) {
  // Doubles that are not negative are ordered as their bits are.
  atomicMax(largest, static_cast<unsigned long long>(__double_as_longlong(error)));
}

template <class Function>
__global__ void measure(double low, double high, unsigned long long* largest) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = static_cast<float>(low + (high - low) * i / (count - 1));
  keep_largest(largest, Function::error(x));
}

template <class Function>
void show(const char* name, double low, double high) {
  unsigned long long *largest, bits = 0;
  cudaMalloc(&largest, sizeof bits);
  cudaMemset(largest, 0, sizeof bits);
  measure<Function><<<count / 128, 128>>>(low, high, largest);
  cudaMemcpy(&bits, largest, sizeof bits, cudaMemcpyDeviceToHost);
  cudaFree(largest);
  double error;
  memcpy(&error, &bits, sizeof error);
  if (error <= Function::bound) {
    printf("%s: within %g\n", name, Function::bound);
  } else {
    printf("%s: %g, more than %g\n", name, error, Function::bound);
  }
}

// The error in ulps of the result.
#define ULPS(label, limit, approximate, precise)  \
  struct label {                                  \
    static constexpr double bound = limit;        \
    __device__ static double error(float x) {     \
      const double d = x;                         \
      return error_in_ulps(approximate, precise); \
    }                                             \
  };
// The error itself.
#define ABSOLUTE(label, limit, approximate, precise) \
  struct label {                                     \
    static constexpr double bound = limit;           \
    __device__ static double error(float x) {        \
      const double d = x;                            \
      return fabs(approximate - (precise));          \
    }                                                \
  };

ULPS(sine, 2, sinf(x), sin(d))
ULPS(cosine, 2, cosf(x), cos(d))
ULPS(tangent, 4, tanf(x), tan(d))
ULPS(arc_sine, 2, asinf(x), asin(d))
ULPS(arc_cosine, 2, acosf(x), acos(d))
ULPS(arc_tangent, 2, atanf(x), atan(d))
ULPS(hyperbolic_sine, 3, sinhf(x), sinh(d))
ULPS(hyperbolic_cosine, 2, coshf(x), cosh(d))
ULPS(hyperbolic_tangent, 2, tanhf(x), tanh(d))
ULPS(exponential, 2, expf(x), exp(d))
ULPS(power_of_2, 2, exp2f(x), exp2(d))
ULPS(power_of_10, 2, exp10f(x), exp10(d))
ULPS(exponential_less_1, 1, expm1f(x), expm1(d))
ULPS(logarithm, 1, logf(x), log(d))
ULPS(logarithm_of_base_2, 1, log2f(x), log2(d))
ULPS(logarithm_of_base_10, 2, log10f(x), log10(d))
ULPS(logarithm_of_1_more, 1, log1pf(x), log1p(d))
ULPS(cube_root, 1, cbrtf(x), cbrt(d))
ULPS(reciprocal_root, 2, rsqrtf(x), rsqrt(d))
ULPS(power, 4, powf(x, 1.7f), pow(d, 1.7000000476837158))
ULPS(hypotenuse, 3, hypotf(x, 2.5f), hypot(d, 2.5))
ULPS(error_function, 2, erff(x), erf(d))
ULPS(gamma_function, 5, tgammaf(x), tgamma(d))
ULPS(quick_division, 2, __fdividef(x, 3.0f), d / 3.0)
ULPS(root, 0, sqrtf(x), sqrt(d))
ULPS(division, 0, x / 3.0f, d / 3.0)
ABSOLUTE(quick_sine, 4.769e-7, __sinf(x), sin(d))                   // 2^-21
ABSOLUTE(quick_cosine, 4.769e-7, __cosf(x), cos(d))                 // 2^-21
ABSOLUTE(quick_logarithm, 4.769e-7, __logf(x), log(d))              // 2^-21.41
ABSOLUTE(quick_logarithm_of_base_2, 2.385e-7, __log2f(x), log2(d))  // 2^-22
ULPS(quick_exponential, 4, __expf(x), exp(d))                       // 2 + floor(|1.173 x|)
ULPS(quick_power_of_10, 5, __exp10f(x), exp10(d))                   // 2 + floor(|2.97 x|)

#define SHOW(function, low, high) show<function>(#function " from " #low " to " #high, low, high)

int main() {
  SHOW(sine, -100.0, 100.0);
  SHOW(cosine, -100.0, 100.0);
  SHOW(tangent, -1.5, 1.5);
  SHOW(arc_sine, -1.0, 1.0);
  SHOW(arc_cosine, -1.0, 1.0);
  SHOW(arc_tangent, -50.0, 50.0);
  SHOW(hyperbolic_sine, -20.0, 20.0);
  SHOW(hyperbolic_cosine, -20.0, 20.0);
  SHOW(hyperbolic_tangent, -8.0, 8.0);
  SHOW(exponential, -80.0, 80.0);
  SHOW(power_of_2, -120.0, 120.0);
  SHOW(power_of_10, -35.0, 35.0);
  SHOW(exponential_less_1, -5.0, 5.0);
  SHOW(logarithm, 1e-3, 1e3);
  SHOW(logarithm_of_base_2, 1e-3, 1e3);
  SHOW(logarithm_of_base_10, 1e-3, 1e3);
  SHOW(logarithm_of_1_more, -0.9, 100.0);
  SHOW(cube_root, -1000.0, 1000.0);
  SHOW(reciprocal_root, 1e-3, 1e3);
  SHOW(power, 1e-3, 100.0);
  SHOW(hypotenuse, -100.0, 100.0);
  SHOW(error_function, -3.0, 3.0);
  SHOW(gamma_function, 0.5, 10.0);
  SHOW(quick_division, -1000.0, 1000.0);
  SHOW(root, 0.0, 1e6);
  SHOW(division, -1000.0, 1000.0);
  SHOW(quick_sine, -3.14159, 3.14159);
  SHOW(quick_cosine, -3.14159, 3.14159);
  SHOW(quick_logarithm, 0.5, 2.0);
  SHOW(quick_logarithm_of_base_2, 0.5, 2.0);
  SHOW(quick_exponential, -2.0, 2.0);
  SHOW(quick_power_of_10, -1.0, 1.0);
  return finished();
}
