#include "two_files.h"

__device__ int shared_counter = 10;
__device__ float other(float x) {
  return x * 2 + 1;
}
__global__ void kernel_there(float* out) {
  out[threadIdx.x] = from_header(2);
}

int doubled(int);
int read_counter() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, shared_counter, sizeof value);
  return doubled(value);
}
