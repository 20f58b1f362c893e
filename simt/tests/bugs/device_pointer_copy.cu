// memcpy where cudaMemcpy was meant.
#include <cstring>

__global__ void scale(float* a) {
  a[threadIdx.x] *= 2;
}

int main() {
  float host[32] = {1}, *a;
  cudaMalloc(&a, sizeof host);
  memcpy(a, host, sizeof host);
  scale<<<1, 32>>>(a);
  cudaDeviceSynchronize();
  cudaFree(a);
}
