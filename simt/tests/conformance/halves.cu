// __half, __nv_bfloat16 and the 8-bit floats in facts that can be read: edges, ties, subnormals,
// operators. The hashes over all values are in half.cu, bf16.cu and fp8.cu.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "facts.h"

#define HALF(expression) FACT("0x%04x", #expression, plain_bits16(expression))

__device__ unsigned plain_bits16(__half x) {
  return __hisnan(x) ? 0x7fffu : __half_as_ushort(x);
}
__device__ unsigned plain_bits16(__nv_bfloat16 x) {
  return __hisnan(x) ? 0x7fffu : __bfloat16_as_ushort(x);
}

__device__ float inputs[] = {0.0f,    -0.0f,       1.0f,     0.1f,     1.0f / 3,  2049.0f,
                             2051.0f, 65504.0f,    65519.0f, 65520.0f, -70000.0f, 5.9604645e-8f,
                             2.9e-8f, 1.0f / 0.0f, 257.0f,   259.0f,   448.0f,    464.0f,
                             465.0f,  57344.0f,    61440.0f, 3.4e38f,  0.001f,    9.0e-41f};

__global__ void from_floats(int count) {
  for (int i = 0; i < count; ++i) {
    const float x = inputs[i];
    printf("x: %.9g\n", x);
    HALF(__float2half_rn(x));
    HALF(__float2half_rz(x));
    HALF(__float2half_ru(x));
    HALF(__float2half_rd(x));
    HALF(__float2bfloat16_rn(x));
    HALF(__float2bfloat16_rz(x));
    HALF(__float2bfloat16_ru(x));
    HALF(__float2bfloat16_rd(x));
    UINT(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3));
    UINT(__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3));
    UINT(__nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2));
    UINT(__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2));
  }
}

template <class T>
__global__ void operators(T a, T b, T zero) {
  HALF(a + b);
  HALF(a - b);
  HALF(a * b);
  HALF(a / b);
  HALF(-a);
  HALF(a / zero);
  HALF(zero / zero);
  HALF(__hfma(a, b, a));
  HALF(__hmax(a, zero / zero));
  HALF(__hmax_nan(a, zero / zero));
  HALF(__hmin(zero, -zero));
  HALF(__hadd_sat(a, b));
  HALF(__hmul_sat(a, b));
  HALF(__hfma_relu(a, -b, zero));
  INT(a < b);
  INT(a == a);
  INT(zero / zero == zero / zero);
  INT(zero == -zero);
  T c = a;
  HALF(c += b);
  HALF(c *= b);
  HALF(++c);
}

__global__ void to_integers(float x) {
  INT(__half2int_rn(__float2half(x)));
  INT(__half2int_rz(__float2half(x)));
  INT(__half2int_ru(__float2half(x)));
  INT(__half2int_rd(__float2half(x)));
  INT(__half2int_rz(__float2half(1.0f / (x - x))));
  INT(__half2short_rz(__float2half(50000.0f + x)));
  UINT(__half2uint_rz(__float2half(-x)));
  HALF(__int2half_rn(65535));
  HALF(__int2half_rz(65535));
  HALF(__uint2half_rn(4000000000u));
  HALF(__short2half_rn(static_cast<short>(x * 1000)));
  HALF(__ll2half_rn(2049ll));
}

int main() {
  from_floats<<<1, 1>>>(sizeof inputs / sizeof inputs[0]);
  cudaDeviceSynchronize();
  operators<<<1, 1>>>(__float2half(1.2f), __float2half(2.6f), __float2half(0.0f));
  cudaDeviceSynchronize();
  operators<<<1, 1>>>(__float2bfloat16(1.2f), __float2bfloat16(2.6f), __float2bfloat16(0.0f));
  cudaDeviceSynchronize();
  to_integers<<<1, 1>>>(2.5f);
  cudaDeviceSynchronize();
  to_integers<<<1, 1>>>(-3.75f);
  return finished();
}
