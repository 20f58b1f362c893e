// A barrier in memory that one thread never arrives at: the block cannot go on, and it is said so.
#include <cuda/barrier>

#include <cstdio>

__global__ void short_of_one() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x == 7) return;
  bar.arrive_and_wait();
}

__global__ void too_many() {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  init(&bar, 1);
  (void)bar.arrive(2);
}

int main() {
  short_of_one<<<1, 32>>>();
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  too_many<<<1, 1>>>();
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
