// The same launches with sizes that fit.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void one(int* x) {
  *x = 1;
}
__global__ void __launch_bounds__(64) bounded(int* x) {
  *x = 1;
}
__global__ void __cluster_dims__(4, 1, 1) clustered(int* x) {
  *x = 1;
}
__global__ void together(int* x) {
  cooperative_groups::this_grid().sync();
  *x = 1;
}

cudaLaunchConfig_t of(dim3 grid, cudaLaunchAttribute* cluster, unsigned size) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(32);
  cluster->id = cudaLaunchAttributeClusterDimension;
  cluster->val.clusterDim.x = size;
  cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
  config.attrs = cluster;
  config.numAttrs = 1;
  return config;
}

int main() {
  int* x;
  cudaMallocManaged(&x, sizeof(int));
  *x = 0;
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t config = of(dim3(8), &cluster, 4);
  cudaLaunchKernelEx(&config, one, x);
  config = of(dim3(32), &cluster, 8);
  cudaLaunchKernelEx(&config, one, x);
  config = of(dim3(32), &cluster, 2);
  cudaLaunchKernelEx(&config, one, x);
  clustered<<<8, 32>>>(x);
  bounded<<<1, 64>>>(x);
  one<<<dim3(1, 7), 32>>>(x);
  one<<<1, dim3(2, 2, 8)>>>(x);
  void* args[] = {&x};
  cudaLaunchCooperativeKernel((void*)together, dim3(10), dim3(32), args, 0, nullptr);
  cudaDeviceSynchronize();
  std::printf("%d\n", *x);
  cudaFree(x);
}
