// The context where there is no GPU: simt's device.
#pragma once
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

namespace at::cuda {

inline const cudaDeviceProp* getCurrentDeviceProperties() {
  static const cudaDeviceProp properties = [] {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, 0);
    return p;
  }();
  return &properties;
}
inline const cudaDeviceProp* getDeviceProperties(c10::cuda::DeviceIndex) {
  return getCurrentDeviceProperties();
}
inline bool is_available() {
  return true;
}

}  // namespace at::cuda
