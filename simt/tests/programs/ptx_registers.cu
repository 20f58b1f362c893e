// Special registers in inline PTX.
#include <cstdio>

__device__ __forceinline__ unsigned lane() {
  unsigned r;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
  return r;
}

__global__ void k(unsigned* out) {
  unsigned below, warp;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %warpid;" : "=r"(warp));  // one % will do
  asm volatile("" ::: "memory");
  if (threadIdx.x == 37) {
    out[0] = lane();
    out[1] = below;
    out[2] = warp;
  }
}

int main() {
  unsigned* out;
  cudaMallocManaged(&out, 64);
  k<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("%u %x %u\n", out[0], out[1], out[2]);
}
