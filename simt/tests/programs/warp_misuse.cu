// Warp operations that cannot be right.
#include <cstdio>

__global__ void outside(int* out) {
  *out = __shfl_sync(0xfffffffeu, *out, 0);
}
__global__ void mixed(int* out) {
  if (threadIdx.x == 0) {
    *out = __any_sync(0xffffffffu, 1);
  } else {
    *out = __shfl_sync(0xffffffffu, 1, 0);
  }
}

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  outside<<<1, 32>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  cudaMallocManaged(&out, sizeof(int));
  mixed<<<1, 32>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
