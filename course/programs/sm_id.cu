// The number of the SM a block runs on, and the lane of a thread, by inline PTX.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void where(unsigned* sm, unsigned* lane) {
  unsigned id;
  if (threadIdx.x == 0) {
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    sm[blockIdx.x] = id;
  }
  if (blockIdx.x == 0 && threadIdx.x == 37) {
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));
    *lane = id;
  }
}

int main() {
  constexpr int blocks = 8;
  unsigned *device = nullptr, sm[blocks + 1];
  cudaMalloc(&device, sizeof sm);
  where<<<blocks, 64>>>(device, device + blocks);
  cudaMemcpy(sm, device, sizeof sm, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  bool below = true;
  for (int b = 0; b < blocks; ++b)
    below = below && sm[b] < unsigned(properties.multiProcessorCount);
  std::printf("%d blocks on SMs below multiProcessorCount: %s\n", blocks, below ? "yes" : "no");
  std::printf("lane of thread 37: %u\n", sm[blocks]);
}
