#pragma once

#include <cub/config.cuh>

#include <cstdio>
#include <cstdlib>

namespace cub {

inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess) {
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", error, file, line,
                 cudaGetErrorString(error));
  }
  return error;
}

}  // namespace cub

#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                                  \
  if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__) != cudaSuccess) { \
    std::exit(1);                                                        \
  }
#define CubLog(format, ...)                                                                       \
  ::simt::device_printf("[block (%d,%d,%d), thread (%d,%d,%d)]: " format, blockIdx.z, blockIdx.y, \
                        blockIdx.x, threadIdx.z, threadIdx.y, threadIdx.x, __VA_ARGS__)
