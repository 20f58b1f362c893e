// What the runtime answers to launches: sizes at and past every limit, shared memory with and without the opt-in,
// __launch_bounds__, clusters, cooperative launches, kernels by pointer and called as functions, attributes of kernels.
// The expected output was recorded on an H200.
#include <cooperative_groups.h>

#include <cstdio>

__global__ void nothing() {}
__global__ void fill(int* p) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = 1;
  if (p) p[threadIdx.x] = dynamic[threadIdx.x];
}
__global__ void big(int* p) {
  __shared__ int kept[10000];
  kept[threadIdx.x] = 1;
  __syncthreads();
  p[threadIdx.x] = kept[threadIdx.x ^ 1];
}
__global__ void __launch_bounds__(100) bounded(int* p) {
  if (p) p[0] = 1;
}
__global__ void __launch_bounds__(256, 2) bounded_twice(int* p) {
  if (p) p[0] = 2;
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int* p) {
  if (p) p[blockIdx.x] = 1;
}
__global__ void whole_grid(int* p) {
  cooperative_groups::this_grid().sync();
  if (p) p[0] = 5;
}
static void show(const char* what, cudaError_t answer) {
  const cudaError_t last = cudaGetLastError(), later = cudaDeviceSynchronize();
  cudaGetLastError();
  std::printf("%-58s %3d last %3d later %3d\n", what, answer, last, later);
}
#define LAUNCH(...) __VA_ARGS__, show(#__VA_ARGS__, cudaPeekAtLastError())
#define SHOW(...) show(#__VA_ARGS__, __VA_ARGS__)

static void sizes(int* p) {
  LAUNCH(nothing<<<1, 1024>>>());
  LAUNCH(nothing<<<1, 1025>>>());
  LAUNCH(nothing<<<1, 2048>>>());
  LAUNCH(nothing<<<1, dim3(32, 32)>>>());
  LAUNCH(nothing<<<1, dim3(32, 33)>>>());
  LAUNCH(nothing<<<1, dim3(1, 1024)>>>());
  LAUNCH(nothing<<<1, dim3(1, 1, 64)>>>());
  LAUNCH(nothing<<<1, dim3(1, 1, 65)>>>());
  LAUNCH(nothing<<<1, 0>>>());
  LAUNCH(nothing<<<1, dim3(4, 0)>>>());
  LAUNCH(nothing<<<0, 1>>>());
  LAUNCH(nothing<<<dim3(1, 0), 1>>>());
  LAUNCH(nothing<<<dim3(1, 65535), 1>>>());
  LAUNCH(nothing<<<dim3(1, 65536), 1>>>());
  LAUNCH(nothing<<<dim3(1, 1, 65535), 1>>>());
  LAUNCH(nothing<<<dim3(1, 1, 65536), 1>>>());
  LAUNCH(nothing<<<0x80000000u, 1>>>());
  LAUNCH(fill<<<1, 32, 48 * 1024>>>(p));
  LAUNCH(fill<<<1, 32, 48 * 1024 + 1>>>(p));
  LAUNCH(fill<<<1, 32, 64 * 1024>>>(p));
  LAUNCH(fill<<<1, 32, (size_t)-1>>>(p));
  LAUNCH(big<<<1, 32, 9152>>>(p));
  LAUNCH(big<<<1, 32, 9153>>>(p));
  SHOW(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  LAUNCH(fill<<<1, 32, 227 * 1024>>>(p));
  LAUNCH(fill<<<1, 32, 227 * 1024 + 1>>>(p));
  SHOW(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 + 1));
  SHOW(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  LAUNCH(fill<<<1, 32, 1025>>>(p));
  LAUNCH(fill<<<1, 32, 48 * 1024>>>(p));
  SHOW(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  SHOW(cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024 - 40000));
  LAUNCH(big<<<1, 32, 227 * 1024 - 40000>>>(p));
  LAUNCH(bounded<<<1, 100>>>(p));
  LAUNCH(bounded<<<1, 101>>>(p));
  LAUNCH(bounded<<<1, dim3(10, 11)>>>(p));
  LAUNCH(bounded_twice<<<1, 256>>>(p));
  LAUNCH(bounded_twice<<<1, 257>>>(p));
  LAUNCH(bounded_twice<<<1, 2048>>>(p));
}

static cudaError_t launch(int blocks, int cluster, int cooperative, const void* kernel, int threads,
                          int* p) {
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = threads;
  cudaLaunchAttribute attributes[2];
  config.attrs = attributes;
  if (cluster) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = cluster;
    attributes[config.numAttrs].val.clusterDim.y = 1;
    attributes[config.numAttrs++].val.clusterDim.z = 1;
  }
  if (cooperative) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  void* args[] = {&p};
  return cudaLaunchKernelExC(&config, kernel, args);
}

static void clusters(int* p) {
  SHOW(launch(8, 1, 0, (const void*)bounded, 32, p));
  SHOW(launch(8, 2, 0, (const void*)bounded, 32, p));
  SHOW(launch(8, 3, 0, (const void*)bounded, 32, p));
  SHOW(launch(6, 3, 0, (const void*)bounded, 32, p));
  SHOW(launch(8, 8, 0, (const void*)bounded, 32, p));
  SHOW(launch(16, 16, 0, (const void*)bounded, 32, p));
  SHOW(launch(32, 32, 0, (const void*)bounded, 32, p));
  SHOW(launch(9, 2, 0, (const void*)bounded, 32, p));
  SHOW(cudaFuncSetAttribute(bounded, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  SHOW(launch(16, 16, 0, (const void*)bounded, 32, p));
  LAUNCH(pairs<<<4, 32>>>(p));
  LAUNCH(pairs<<<3, 32>>>(p));
  SHOW(launch(4, 2, 0, (const void*)pairs, 32, p));
  SHOW(launch(4, 4, 0, (const void*)pairs, 32, p));
  SHOW(launch(4, 0, 1, (const void*)whole_grid, 32, p));
  SHOW(launch(1 << 20, 0, 1, (const void*)whole_grid, 32, p));
  void* args[] = {&p};
  SHOW(cudaLaunchCooperativeKernel((const void*)whole_grid, 2, 32, args));
  SHOW(cudaLaunchCooperativeKernel((const void*)whole_grid, 1 << 20, 32, args));
  SHOW(cudaLaunchCooperativeKernel((const void*)whole_grid, 1, 1025, args));
}

static void call(void (*kernel)(int*), int* p) {
  kernel(p);
}

static void by_pointer(int* p) {
  static int no_kernel;
  void* args[] = {&p};
  SHOW(cudaLaunchKernel((const void*)bounded, 1, 32, args, 0, nullptr));
  SHOW(cudaLaunchKernel((const void*)bounded, 1, 101, args, 0, nullptr));
  SHOW(cudaLaunchKernel(nullptr, 1, 32, args, 0, nullptr));
  SHOW(cudaLaunchKernel(&no_kernel, 1, 32, args, 0, nullptr));
  p[0] = 77;
  call(bounded, p);
  show("a kernel called through a pointer", cudaPeekAtLastError());
  std::printf("nothing was run: %d\n", p[0] == 77);
  cudaFuncAttributes facts;
  SHOW(cudaFuncGetAttributes(&facts, (const void*)nullptr));
  SHOW(cudaFuncGetAttributes(&facts, (const void*)&no_kernel));
  SHOW(cudaFuncSetAttribute((const void*)&no_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            1024));
  SHOW(cudaFuncSetAttribute(bounded, (cudaFuncAttribute)77, 1));
  SHOW(cudaFuncGetAttributes(&facts, big));
  std::printf("big: %zu shared, %d threads, %zu constant, %d dynamic\n", facts.sharedSizeBytes,
              facts.maxThreadsPerBlock, facts.constSizeBytes, facts.maxDynamicSharedSizeBytes);
  SHOW(cudaFuncGetAttributes(&facts, bounded));
  std::printf("bounded: %zu shared, %d threads, %d dynamic\n", facts.sharedSizeBytes,
              facts.maxThreadsPerBlock, facts.maxDynamicSharedSizeBytes);
  SHOW(cudaFuncGetAttributes(&facts, pairs));
  std::printf("pairs: set %d, %d x %d x %d\n", facts.clusterDimMustBeSet,
              facts.requiredClusterWidth, facts.requiredClusterHeight, facts.requiredClusterDepth);
}

int main() {
  int* p;
  cudaMallocManaged(&p, 1 << 16);
  sizes(p);
  clusters(p);
  by_pointer(p);
  cudaFree(p);
  return 0;
}
