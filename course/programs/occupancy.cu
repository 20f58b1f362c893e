// Blocks per SM that shared memory allows: by the formula, and by the runtime.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>

__global__ void uses_shared(float* y) {
  extern __shared__ float room[];
  room[threadIdx.x] = float(threadIdx.x);
  __syncthreads();
  y[threadIdx.x] = room[blockDim.x - 1 - threadIdx.x];
}

int main() {
  constexpr int threads = 256;
  constexpr std::size_t bytes = 40960;
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  const int by_shared = int(p.sharedMemPerMultiprocessor / (bytes + p.reservedSharedMemPerBlock));
  const int by_threads = p.maxThreadsPerMultiProcessor / threads;
  const int formula = std::min({by_shared, by_threads, p.maxBlocksPerMultiProcessor});
  int runtime = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, uses_shared, threads, bytes);
  std::printf("formula and runtime agree: %s\n", formula == runtime ? "yes" : "no");
}
