// What the extension asks of a device, compiled for each backend as the kernels are: the extension
// itself is linked with neither runtime.
#include <cuda_runtime.h>

#define WARPATH_EXPORT extern "C" __attribute__((visibility("default")))

// 90 for sm_90; 0 when there is no such device.
WARPATH_EXPORT int warpath_arch(int device) {
  int major = 0, minor = 0;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
    return 0;
  return major * 10 + minor;
}

// Waits for all work; null, or what went wrong. An error that can be cleared is: the next call
// starts clean.
WARPATH_EXPORT const char* warpath_finish() {
  const cudaError_t error = cudaDeviceSynchronize();
  const cudaError_t earlier = cudaGetLastError();
  if (error != cudaSuccess) return cudaGetErrorString(error);
  return earlier == cudaSuccess ? nullptr : cudaGetErrorString(earlier);
}
