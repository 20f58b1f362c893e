// A fault in a kernel that runs as loops over its threads names the thread and the line, as on fibers.
// Run both ways by program_test.cpp.

#include <cassert>
#include <cstdio>

__global__ void bad_address(int* out, int* nowhere) {
  __shared__ int values[64];
  const int t = threadIdx.y * 8 + threadIdx.x;
  values[t] = t;
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    if (i == 2 && values[63 - t] == 26) *nowhere = 1;  // thread 37
    __syncthreads();
  }
  out[t] = values[t];
}

__global__ void bad_value(const int* in) {
  __shared__ int values[64];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  assert(values[63 - threadIdx.x] != 20);  // thread 43
}

int main() {
  int* p;
  cudaMallocManaged(&p, 64 * sizeof(int));
  bad_address<<<1, dim3(8, 8)>>>(p, nullptr);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaDeviceReset();
  cudaMallocManaged(&p, 64 * sizeof(int));
  for (int i = 0; i < 64; ++i) p[i] = i;
  bad_value<<<1, 64>>>(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
