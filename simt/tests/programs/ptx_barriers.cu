// Barriers, fences and a trap in inline PTX.
#include <cstdio>

__global__ void turn(int* out) {
  __shared__ int shared[64];
  shared[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 0;" ::: "memory");
  out[threadIdx.x] = shared[63 - threadIdx.x];
  asm volatile("membar.gl;" ::: "memory");
  asm("membar.cta;");
}

__global__ void trapped() {
  if (threadIdx.x == 3) asm("trap;");
}

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  turn<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", out[0], out[31], out[63]);
  trapped<<<1, 32>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
