// Blocks of a cluster stay until all have read.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) first(int* out) {
  __shared__ int value;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = blockIdx.x + 1;
  cluster.sync();
  if (blockIdx.x == 0) {
    *out = *cluster.map_shared_rank(&value, 1);
  }
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  first<<<2, 1>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
