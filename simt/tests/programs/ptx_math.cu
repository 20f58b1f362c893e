// Arithmetic in inline PTX: values, subnormal numbers, NaN and signed zeros.
#include <cmath>
#include <cstdio>
#include <cstring>

#define UNARY(NAME, OPCODE)                        \
  __device__ __forceinline__ float NAME(float x) { \
    float y;                                       \
    asm(OPCODE " %0, %1;" : "=f"(y) : "f"(x));     \
    return y;                                      \
  }
UNARY(ex2, "ex2.approx.f32")
UNARY(ex2_ftz, "ex2.approx.ftz.f32")
UNARY(lg2, "lg2.approx.f32")
UNARY(lg2_ftz, "lg2.approx.ftz.f32")
UNARY(rcp, "rcp.approx.f32")
UNARY(rcp_ftz, "rcp.approx.ftz.f32")
UNARY(rsq, "rsqrt.approx.f32")
UNARY(tanh_fast, "tanh.approx.f32")

#define BINARY(NAME, OPCODE)                                          \
  __device__ __forceinline__ float NAME(float x, float y) {           \
    float z;                                                          \
    asm volatile(OPCODE " %0, %1, %2;\n" : "=f"(z) : "f"(x), "f"(y)); \
    return z;                                                         \
  }
BINARY(greater, "max.f32")
BINARY(less, "min.f32")
BINARY(greater_nan, "max.NaN.f32")
BINARY(less_nan, "min.NaN.f32")

__device__ float multiply_add(float a, float b, float c) {
  asm("fma.rn.f32 %0, %1, %2, %0;" : "+f"(c) : "f"(a), "f"(b));
  return c;
}

__global__ void k(float* out) {
  int i = 0;
  out[i++] = ex2(3);
  out[i++] = ex2(-149);
  out[i++] = ex2_ftz(-149);
  out[i++] = ex2_ftz(-INFINITY);
  out[i++] = lg2(1e-40f);
  out[i++] = lg2_ftz(1e-40f);
  out[i++] = lg2(8);
  out[i++] = rcp(-4);
  out[i++] = rcp_ftz(2e38f);
  out[i++] = rcp_ftz(-1e-40f);
  out[i++] = rsq(16);
  out[i++] = tanh_fast(20);
  out[i++] = multiply_add(1 + 0x1p-12f, 1 + 0x1p-12f, -1);
  out[i++] = greater(-0.0f, 0.0f);
  out[i++] = less(0.0f, -0.0f);
  out[i++] = greater(NAN, 2);
  out[i++] = less(3, NAN);
  out[i++] = greater_nan(NAN, 2);
  out[i++] = less_nan(3, NAN);
  out[i++] = greater_nan(1, 2);
  out[i++] = less_nan(1, 2);
}

// PTX's named barriers.
__global__ void barriers(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32) {
    asm volatile("bar.sync %0, %1;" ::"r"(1), "n"(64) : "memory");
    out[threadIdx.x] = s[threadIdx.x + 32];
  } else {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  }
  asm volatile("bar.sync 0;");
}

int main() {
  float* out;
  cudaMallocManaged(&out, 1024);
  k<<<1, 1>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 21; ++i) {
    if (std::isnan(out[i])) {
      unsigned bits;
      memcpy(&bits, &out[i], sizeof bits);
      printf("%x\n", bits);
    } else {
      printf("%a\n", out[i]);
    }
  }
  int* seen = reinterpret_cast<int*>(out);
  barriers<<<1, 64>>>(seen);
  printf("%s %d\n", cudaGetErrorName(cudaDeviceSynchronize()), seen[31]);
}
