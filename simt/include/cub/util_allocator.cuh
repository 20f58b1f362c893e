#pragma once

// CUB's allocator. Device memory is quick to get here, so nothing is kept back.

#include <cub/util_debug.cuh>

#include <cstddef>

namespace cub {

struct CachingDeviceAllocator {
  static constexpr unsigned INVALID_BIN = ~0u;
  static constexpr std::size_t INVALID_SIZE = ~std::size_t{0};
  static constexpr int INVALID_DEVICE_ORDINAL = -1;

  explicit CachingDeviceAllocator(unsigned = 8, unsigned = 3, unsigned = 7,
                                  std::size_t = INVALID_SIZE, bool = false, bool = false) {}
  explicit CachingDeviceAllocator(bool, bool = false) {}

  cudaError_t SetMaxCachedBytes(std::size_t) { return cudaSuccess; }
  cudaError_t DeviceAllocate(void** to, std::size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(to, bytes);
  }
  cudaError_t DeviceAllocate(int, void** to, std::size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(to, bytes);
  }
  cudaError_t DeviceFree(void* pointer) { return cudaFree(pointer); }
  cudaError_t DeviceFree(int, void* pointer) { return cudaFree(pointer); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
