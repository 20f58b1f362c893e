// What the device is, and a line from each thread.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void hello() {
  std::printf("Hello from block %d thread %d\n", int(blockIdx.x), int(threadIdx.x));
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::printf("warp size %d, SMs: %s\n", p.warpSize, p.multiProcessorCount > 0 ? "yes" : "no");
  std::fflush(stdout);
  hello<<<2, 2>>>();
  cudaDeviceSynchronize();
}
