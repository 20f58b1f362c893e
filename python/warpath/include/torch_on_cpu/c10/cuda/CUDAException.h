// torch's checks of CUDA calls, where there is no GPU.
#pragma once
#include <cuda_runtime.h>
#include <torch/extension.h>

#define C10_CUDA_CHECK(...)                                                                       \
  do {                                                                                            \
    const cudaError_t warpath_error = (__VA_ARGS__);                                              \
    TORCH_CHECK(warpath_error == cudaSuccess, "CUDA error: ", cudaGetErrorString(warpath_error)); \
  } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
