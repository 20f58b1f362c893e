// A block that can never go on ends with a report, and the program lives.
#include <cstdio>

__global__ void stuck(int* out) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else if (threadIdx.x < 60) {
    __shfl_sync(0xffffffffu, *out, 0);
    __syncthreads();
  }
}

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  *out = 0;
  stuck<<<1, 96>>>(out);
  printf("after the launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("after synchronising: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("sticky: %s\n", cudaGetErrorName(cudaMalloc(&out, 4)));
}
