// Attributes of kernels and occupancy. The expected output was recorded on an H200.
#include <cstdio>

__global__ void nothing() {}
__global__ void uses_shared() {
  extern __shared__ char bytes[];
  bytes[threadIdx.x] = 1;
}
__global__ void half_shared() {
  extern __shared__ char bytes[];
  bytes[threadIdx.x] = 2;
}

struct SharedPerThread {
  __host__ __device__ size_t operator()(int threads) const { return threads * 64; }
};

static void show(const char* what, cudaError_t answer) {
  const cudaError_t last = cudaGetLastError();
  std::printf("%-44s %3d last %3d\n", what, static_cast<int>(answer), static_cast<int>(last));
}
#define SHOW(call) show(#call, call)

int main() {
  cudaFuncAttributes attributes;
  SHOW(cudaFuncGetAttributes(&attributes, nothing));
  std::printf("threads %d, shared %zu, dynamic %d\n", attributes.maxThreadsPerBlock,
              attributes.sharedSizeBytes, attributes.maxDynamicSharedSizeBytes);
  SHOW(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  SHOW(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232449));
  SHOW(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  SHOW(cudaFuncSetAttribute(uses_shared, (cudaFuncAttribute)77, 1));
  SHOW(cudaFuncGetAttributes(&attributes, uses_shared));
  std::printf("dynamic %d\n", attributes.maxDynamicSharedSizeBytes);
  SHOW(cudaFuncSetCacheConfig(nothing, cudaFuncCachePreferShared));
  SHOW(cudaFuncSetAttribute(half_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  SHOW(cudaFuncSetAttribute(half_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 232448));
  SHOW(cudaFuncSetAttribute(half_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  SHOW(cudaFuncSetAttribute((const void*)nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 16));

  int blocks = 0, grid = 0, block = 0;
  for (int threads : {1, 32, 33, 64, 96, 256, 384, 768, 1024}) {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, threads, 0);
    std::printf("%4d threads: %d blocks\n", threads, blocks);
  }
  for (int kb : {0, 1, 8, 16, 47, 48, 57, 75, 100, 113, 114, 200, 227}) {
    int with_half = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, uses_shared, 64, kb * 1024);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&with_half, half_shared, 64, kb * 1024);
    std::printf("%3d KiB: %d blocks, %d with half of the memory\n", kb, blocks, with_half);
  }
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 1025, 0));
  std::printf("%d\n", blocks);
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 64, 300000));
  std::printf("%d\n", blocks);
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 64, 49153));
  std::printf("%d\n", blocks);
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, -1, 0));
  SHOW(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, nothing, 32, 0));
  SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 0));
  std::printf("grid %d block %d\n", grid, block);
  SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, nothing, 0, 200));
  std::printf("grid %d block %d\n", grid, block);
  SHOW(cudaOccupancyMaxPotentialBlockSize(&grid, &block, uses_shared, 32 * 1024, 0));
  std::printf("grid %d block %d\n", grid, block);
  SHOW(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, uses_shared,
                                                      SharedPerThread{}));
  std::printf("grid %d block %d\n", grid, block);
  for (int n : {1, 2, 3, 4, 8, 16, 32}) {
    size_t bytes = 0, with_half = 0, plain = 0;
    const cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, uses_shared, n, 64);
    cudaOccupancyAvailableDynamicSMemPerBlock(&with_half, half_shared, n, 64);
    cudaOccupancyAvailableDynamicSMemPerBlock(&plain, nothing, n, 64);
    std::printf("%2d blocks: %d, %zu bytes each, %zu with half, %zu without opt-in\n", n, error,
                bytes, with_half, plain);
  }
}
