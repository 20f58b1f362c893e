// A failed assert and a trap end the kernel with their own errors.
#include <cassert>
#include <cstdio>

__global__ void check(int limit) {
  assert(static_cast<int>(threadIdx.x) < limit);
}
__global__ void stop() {
  __trap();
}

int main() {
  check<<<1, 32>>>(32);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  check<<<2, 32>>>(7);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%d %s\n", e, cudaGetErrorName(e));
  cudaDeviceReset();
  stop<<<1, 1>>>();
  e = cudaDeviceSynchronize();
  printf("%d %s\n", e, cudaGetErrorName(e));
}
