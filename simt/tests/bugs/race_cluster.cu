// A block reads its neighbour's shared memory without waiting for the cluster.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) swap(int* out) {
  __shared__ int value[32];
  auto cluster = cg::this_cluster();
  cluster.sync();
  value[threadIdx.x] = 10 * blockIdx.x + threadIdx.x;
  __syncthreads();
  int* other = cluster.map_shared_rank(value, blockIdx.x ^ 1);
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  swap<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
