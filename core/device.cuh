// Facts about the current device that launchers size their grids by.
#pragma once
#include <cuda_runtime.h>

#include "core/error.h"

namespace warpath {

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

inline unsigned multiprocessors() {
  return static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
}

}  // namespace warpath
