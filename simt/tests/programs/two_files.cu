// Device functions, variables and a kernel of another file; a header's functions in both.
#include <cstdio>

#include "parts/two_files.h"

extern __device__ int shared_counter;
__device__ float other(float x);
__global__ void kernel_there(float* out);

__global__ void here(float* out) {
  out[threadIdx.x] = other(static_cast<float>(threadIdx.x)) + from_header(1);
  atomicAdd(&shared_counter, 1);
}

int read_counter();

int main() {
  float* out;
  cudaMallocManaged(&out, 64 * sizeof(float));
  here<<<1, 4>>>(out);
  cudaDeviceSynchronize();
  printf("%g %g\n", out[0], out[3]);
  kernel_there<<<1, 4>>>(out);
  cudaDeviceSynchronize();
  printf("%g %d\n", out[3], read_counter());
}
