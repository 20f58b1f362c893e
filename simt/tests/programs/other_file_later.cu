// Device functions that are declared first, or that other files may define, in a file that is
// compiled alone.
#include <cstdio>

__device__ float helper(float x);
__device__ float never(float x);
template <class T>
__device__ T twice(T x);
namespace mine {
__device__ float inside(float x);
}

__global__ void k(float* y) {
  *y = helper(*y) + twice(*y) + mine::inside(*y);
}

__device__ float helper(float x) {
  return x + 1;
}
__device__ float mine::inside(float x) {
  return x - 1;
}
template <class T>
__device__ T twice(T x) {
  return x + x;
}

int main() {
  float* y;
  cudaMallocManaged(&y, sizeof(float));
  *y = 3;
  k<<<1, 1>>>(y);
  cudaDeviceSynchronize();
  printf("%g\n", *y);
  cudaFree(y);
}
