// A cluster that can never go on ends with a report, whichever block it is stuck in; so does one in
// which a block faults while the others wait for it.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) stuck() {
  if (blockIdx.x == 6 && threadIdx.x < 8) __syncthreads();
  cg::this_cluster().sync();
}

__global__ void __cluster_dims__(8) falls(int* nowhere) {
  if (blockIdx.x == 3 && threadIdx.x == 0) *nowhere = 1;
  cg::this_cluster().sync();
}

__global__ void __cluster_dims__(2) fine(int* out) {
  cg::this_cluster().sync();
  atomicAdd(out, 1);
}

int main() {
  stuck<<<8, 32>>>();
  printf("stuck: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  falls<<<16, 32>>>(nullptr);
  printf("falls: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  *out = 0;
  fine<<<8, 32>>>(out);
  printf("fine: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *out);
}
