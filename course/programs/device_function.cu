// A function for host and device, applied by a kernel and used by the host as its own reference.
#include <cuda_runtime.h>

#include <cstdio>

__host__ __device__ int f(int x) {
  return x * x + 1;
}

__global__ void apply(int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(i);
}

int main() {
  constexpr int n = 8;
  int* device = nullptr;
  int y[n];
  cudaMalloc(&device, sizeof y);
  apply<<<2, 4>>>(device, n);
  cudaMemcpy(y, device, sizeof y, cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool same = true;
  for (int i = 0; i < n; ++i) {
    std::printf("%d%c", y[i], i + 1 < n ? ' ' : '\n');
    same = same && y[i] == f(i);
  }
  std::printf("same as the host: %s\n", same ? "yes" : "no");
}
