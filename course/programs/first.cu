// A first kernel: ten numbers doubled by twelve threads.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void twice(int* x, int n, int* idle) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= 2;
  else
    atomicAdd(idle, 1);
}

int main() {
  constexpr int n = 10;
  int x[n + 1], *device = nullptr;
  for (int i = 0; i < n; ++i) x[i] = i;
  x[n] = 0;
  cudaMalloc(&device, sizeof x);
  cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice);
  twice<<<3, 4>>>(device, n, device + n);
  cudaMemcpy(x, device, sizeof x, cudaMemcpyDeviceToHost);
  cudaFree(device);
  for (int i = 0; i < n; ++i) std::printf("%d%c", x[i], i + 1 < n ? ' ' : '\n');
  std::printf("idle threads: %d\n", x[n]);
}
