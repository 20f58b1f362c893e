// A vector access at an address that is not a multiple of its size ends the kernel.
#include <cstdio>

__global__ void copy(const float* from, float4* to) {
  *to = *reinterpret_cast<const float4*>(from + 1);
}

int main() {
  float* memory;
  cudaMalloc(&memory, 64);
  copy<<<1, 1>>>(memory, reinterpret_cast<float4*>(memory + 8));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
