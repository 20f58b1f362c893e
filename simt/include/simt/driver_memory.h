#pragma once

// More of the driver API's memory and context calls. Part of cuda.h.

inline CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  const CUresult result =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result != CUDA_SUCCESS) return result;
  return cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
}
inline CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  return simt::driver(cudaDeviceGetPCIBusId(id, length, device));
}
inline CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return simt::driver(cudaDeviceCanAccessPeer(can, device, peer));
}

inline CUresult cuCtxGetApiVersion(CUcontext, unsigned int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION / 10;
  return CUDA_SUCCESS;
}
extern "C" unsigned simt_resets();
// Another one after each reset of the device.
inline CUresult cuCtxGetId(CUcontext, unsigned long long* id) {
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  *id = 1 + simt_resets();
  return CUDA_SUCCESS;
}
inline CUresult cuCtxGetFlags(unsigned int* flags) {
  return simt::driver(cudaGetDeviceFlags(flags));
}
inline CUresult cuCtxGetLimit(size_t* value, cudaLimit limit) {
  return simt::driver(cudaDeviceGetLimit(value, limit));
}
inline CUresult cuCtxSetLimit(cudaLimit limit, size_t value) {
  return simt::driver(cudaDeviceSetLimit(limit, value));
}
inline CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return simt::driver(cudaDeviceGetStreamPriorityRange(least, greatest));
}

inline CUresult cuMemAllocPitch(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                                unsigned int) {
  return simt::driver(cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}
inline CUresult cuMemHostAlloc(void** host, size_t size, unsigned int flags) {
  return simt::driver(cudaHostAlloc(host, size, flags));
}
inline CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned int flags) {
  return simt::driver(cudaHostGetDevicePointer(reinterpret_cast<void**>(address), host, flags));
}
inline CUresult cuMemHostRegister(void* host, size_t size, unsigned int flags) {
  return simt::driver(cudaHostRegister(host, size, flags));
}
inline CUresult cuMemHostUnregister(void* host) {
  return simt::driver(cudaHostUnregister(host));
}
inline CUresult cuMemAllocAsync(CUdeviceptr* address, size_t size, CUstream stream) {
  return simt::driver(cudaMallocAsync(reinterpret_cast<void**>(address), size, stream));
}
inline CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return simt::driver(cudaFreeAsync(simt::pointer(address), stream));
}
inline CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t size) {
  return simt::driver(cudaMemcpy(simt::pointer(dst), simt::pointer(src), size, cudaMemcpyDefault));
}
inline CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream) {
  return simt::driver(
      cudaMemcpyAsync(simt::pointer(dst), simt::pointer(src), size, cudaMemcpyDefault, stream));
}
inline CUresult cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUstream stream) {
  return cuMemcpyAsync(dst, src, size, stream);
}
inline CUresult cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count,
                                CUstream stream) {
  return simt::driver(cudaMemsetAsync(simt::pointer(dst), value, count, stream));
}
inline CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t count, CUstream) {
  return cuMemsetD32(dst, value, count);
}
inline CUresult cuLaunchHostFunc(CUstream stream, cudaHostFn_t function, void* data) {
  return simt::driver(cudaLaunchHostFunc(stream, function, data));
}

// The names that CUDA's own header maps these calls to.
#define cuDeviceTotalMem_v2 cuDeviceTotalMem
#define cuCtxCreate_v2 cuCtxCreate
#define cuCtxDestroy_v2 cuCtxDestroy
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemFree_v2 cuMemFree
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemGetInfo_v2 cuMemGetInfo
