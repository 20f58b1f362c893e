// A block reads its neighbour's shared memory, which may have gone with the neighbour.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) first(int* out) {
  __shared__ int value;
  auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = blockIdx.x + 1;
  cluster.sync();
  if (blockIdx.x == 0) {
    for (int i = 0; i < 100; ++i) __nanosleep(1000);
    *out = *cluster.map_shared_rank(&value, 1);
  }
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  first<<<2, 1>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
