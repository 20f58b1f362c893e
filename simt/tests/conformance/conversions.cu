// Conversions between float, double and the integers in every rounding mode, at ties, edges and
// beyond.
#include "facts.h"

#define MODES(CALL, show, name) \
  show(CALL##_rn(name));        \
  show(CALL##_rz(name));        \
  show(CALL##_ru(name));        \
  show(CALL##_rd(name))

__device__ float float_inputs[] = {0.5f, 1.5f,  -2.5f, -0.25f, 8388609.5f,  2147483520.0f,
                                   3e9f, -3e9f, 1e20f, -1e20f, 1.0f / 0.0f, -1.0f / 0.0f};
__device__ double double_inputs[] = {
    0.5,  2.5,   -1.5,  4294967295.5, -2147483648.5, 9007199254740993.0,
    1e19, -1e19, 1e300, 16777217.0,   1e-46};
__device__ long long long_inputs[] = {
    16777217,          -16777219,           9007199254740993,
    -9007199254740995, 9223372036854775807, -9223372036854775807 - 1};

__global__ void of_floats(int count) {
  for (int i = 0; i < count; ++i) {
    const float x = float_inputs[i];
    printf("x: %g\n", x);
    MODES(__float2int, INT, x);
    MODES(__float2uint, UINT, x);
    MODES(__float2ll, LONG, x);
    MODES(__float2ull, ULONG, x);
    // Beyond an int's range C++ leaves open what a cast gives, and a CPU gives something else.
    if (fabsf(x) < 2147483648.0f) INT(static_cast<int>(x));
  }
}

__global__ void of_doubles(int count) {
  for (int i = 0; i < count; ++i) {
    const double x = double_inputs[i];
    printf("x: %g\n", x);
    MODES(__double2int, INT, x);
    MODES(__double2uint, UINT, x);
    MODES(__double2ll, LONG, x);
    MODES(__double2ull, ULONG, x);
    MODES(__double2float, FLOAT, x);
    INT(__double2hiint(x));
    INT(__double2loint(x));
  }
}

__global__ void of_longs(int count) {
  for (int i = 0; i < count; ++i) {
    const long long x = long_inputs[i];
    const int n = static_cast<int>(x);
    printf("x: %lld\n", x);
    MODES(__ll2float, FLOAT, x);
    MODES(__ll2double, DOUBLE, x);
    MODES(__ull2float, FLOAT, x);
    MODES(__ull2double, DOUBLE, x);
    MODES(__int2float, FLOAT, n);
    MODES(__uint2float, FLOAT, n);
    DOUBLE(__int2double_rn(n));
    DOUBLE(__uint2double_rn(n));
    DOUBLE(__longlong_as_double(x));
    FLOAT(__int_as_float(n));
  }
}

int main() {
  of_floats<<<1, 1>>>(sizeof float_inputs / sizeof(float));
  cudaDeviceSynchronize();
  of_doubles<<<1, 1>>>(sizeof double_inputs / sizeof(double));
  cudaDeviceSynchronize();
  of_longs<<<1, 1>>>(sizeof long_inputs / sizeof(long long));
  return finished();
}
