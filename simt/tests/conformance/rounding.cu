// Arithmetic in every rounding mode, and the functions of math.h whose result is exact, at their
// edges.
#include "facts.h"

#define MODES(CALL, show, ...)  \
  show(CALL##_rn(__VA_ARGS__)); \
  show(CALL##_rz(__VA_ARGS__)); \
  show(CALL##_ru(__VA_ARGS__)); \
  show(CALL##_rd(__VA_ARGS__))

__device__ float pairs[][2] = {{1.0f, 3.0f},   {1.0f, 1e-10f},   {-1.0f, 1e-10f},
                               {3e38f, 3e38f}, {1e-30f, 1e-15f}, {16777216.0f, 1.0f},
                               {2.0f, 7.0f}};
__device__ double double_pairs[][2] = {
    {1.0, 3.0}, {1.0, 1e-20}, {-1.0, 1e-20}, {1e308, 1e308}, {1e-300, 1e-20}};
__device__ float values[] = {0.0f,       -0.0f, 0.5f,  -0.5f,       1.5f,   2.5f, -2.5f,
                             4194304.5f, 1e10f, -7.0f, 1.0f / 0.0f, 1e-40f, 0.3f, -0.7f};

__global__ void arithmetic(int count) {
  for (int i = 0; i < count; ++i) {
    const float a = pairs[i][0], b = pairs[i][1], c = -a * b;
    printf("a, b: %g, %g\n", a, b);
    MODES(__fadd, FLOAT, a, b);
    MODES(__fsub, FLOAT, a, b);
    MODES(__fmul, FLOAT, a, b);
    MODES(__fdiv, FLOAT, a, b);
    MODES(__fmaf, FLOAT, a, b, c);
    MODES(__frcp, FLOAT, b);
    MODES(__fsqrt, FLOAT, b);
  }
}

__global__ void double_arithmetic(int count) {
  for (int i = 0; i < count; ++i) {
    const double a = double_pairs[i][0], b = double_pairs[i][1], c = -a * b;
    printf("a, b: %g, %g\n", a, b);
    MODES(__dadd, DOUBLE, a, b);
    MODES(__dmul, DOUBLE, a, b);
    MODES(__ddiv, DOUBLE, a, b);
    MODES(__fma, DOUBLE, a, b, c);
    MODES(__drcp, DOUBLE, b);
    MODES(__dsqrt, DOUBLE, b);
  }
}

__global__ void exact(int count) {
  for (int i = 0; i < count; ++i) {
    const float x = values[i];
    printf("x: %g\n", x);
    FLOAT(rintf(x));
    FLOAT(nearbyintf(x));
    FLOAT(roundf(x));
    FLOAT(truncf(x));
    FLOAT(floorf(x));
    FLOAT(ceilf(x));
    FLOAT(fabsf(x));
    FLOAT(__saturatef(x));
    FLOAT(fmodf(x, 0.75f));
    FLOAT(remainderf(x, 0.75f));
    FLOAT(copysignf(2.0f, x));
    FLOAT(fdimf(x, 0.25f));
    FLOAT(nextafterf(x, 9.0f));
    FLOAT(ldexpf(x, -3));
    FLOAT(logbf(x));
    INT(signbit(x));
    INT(isinf(x));
    INT(isfinite(x));
    int exponent = 0;
    FLOAT(frexpf(x, &exponent));
    float whole = 0;
    FLOAT(modff(x, &whole));
    FLOAT(whole);
  }
}

__global__ void not_numbers(float nan, float zero) {
  FLOAT(fminf(nan, 1.0f));
  FLOAT(fmaxf(1.0f, nan));
  FLOAT(fminf(nan, nan));
  FLOAT(fminf(zero, -zero));
  FLOAT(fmaxf(-zero, zero));
  FLOAT(__saturatef(nan));
  FLOAT(zero / zero);
  FLOAT(sqrtf(-1.0f + zero));
  INT(__float2int_rn(nan));
  UINT(__float2uint_rz(nan));
  LONG(__float2ll_rn(nan));
  LONG(__double2ll_rn(static_cast<double>(nan)));
  INT(nan == nan);
  INT(isnan(nan));
  FLOAT(powf(nan, zero));
  FLOAT(hypotf(nan, 1.0f / zero));
  INT(ilogbf(zero));
}

int main() {
  arithmetic<<<1, 1>>>(sizeof pairs / sizeof pairs[0]);
  cudaDeviceSynchronize();
  double_arithmetic<<<1, 1>>>(sizeof double_pairs / sizeof double_pairs[0]);
  cudaDeviceSynchronize();
  exact<<<1, 1>>>(sizeof values / sizeof values[0]);
  cudaDeviceSynchronize();
  not_numbers<<<1, 1>>>(__builtin_nanf(""), 0.0f);
  return finished();
}
