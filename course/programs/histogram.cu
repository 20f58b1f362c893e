// A histogram in the shared memory of each block, added to the whole once at its end.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int bins = 10;

__global__ void count(const int* values, int n, int* total) {
  __shared__ int own[bins];
  if (threadIdx.x < bins) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[values[i]], 1);
  __syncthreads();
  if (threadIdx.x < bins) atomicAdd(&total[threadIdx.x], own[threadIdx.x]);
}

int main() {
  constexpr int n = 100000;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = i * 7 % bins;
  int *device = nullptr, *total = nullptr, found[bins], sum = 0;
  cudaMalloc(&device, n * sizeof(int));
  cudaMalloc(&total, sizeof found);
  cudaMemcpy(device, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(total, 0, sizeof found);
  count<<<16, 256>>>(device, n, total);
  cudaMemcpy(found, total, sizeof found, cudaMemcpyDeviceToHost);
  cudaFree(device);
  cudaFree(total);
  for (int b = 0; b < bins; ++b) {
    std::printf("%d%c", found[b], b + 1 < bins ? ' ' : '\n');
    sum += found[b];
  }
  std::printf("total %d\n", sum);
}
