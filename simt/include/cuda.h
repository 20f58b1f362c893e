#pragma once
#define __cuda_cuda_h__  // CUDA's guard: programs ask by it whether this header is in

// The driver API: devices, contexts, memory, streams, events, launches. Each call is the runtime
// API's under another name, for here the two share everything.

#include <cuda_runtime_api.h>
#include <simt/allocation.h>
#include <simt/driver_attribute.h>
#include <simt/driver_result.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
typedef cudaMemPool_t CUmemoryPool;

#define CU_CTX_SCHED_AUTO 0x00
#define CU_CTX_SCHED_SPIN 0x01
#define CU_CTX_SCHED_YIELD 0x02
#define CU_CTX_SCHED_BLOCKING_SYNC 0x04
#define CU_CTX_MAP_HOST 0x08
#define CU_STREAM_DEFAULT 0x0
#define CU_STREAM_NON_BLOCKING 0x1
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_EVENT_DEFAULT 0x0
#define CU_EVENT_BLOCKING_SYNC 0x1
#define CU_EVENT_DISABLE_TIMING 0x2
#define CU_MEM_ATTACH_GLOBAL 0x1
#define CU_MEM_ATTACH_HOST 0x2

namespace simt {

// The only device is number 0.
CUresult no_such_device(int device);
inline void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);
}

// The one context; any non-null handle would do.
inline CUcontext only_context() {
  return reinterpret_cast<CUcontext>(std::uintptr_t{1});
}

}  // namespace simt

inline CUresult cuInit(unsigned int flags) {
  return flags == 0 ? CUDA_SUCCESS : simt::refused(CUDA_ERROR_INVALID_VALUE, "the flags must be 0");
}
inline CUresult cuDriverGetVersion(int* version) {
  return simt::driver(cudaDriverGetVersion(version));
}
inline CUresult cuGetErrorName(CUresult error, const char** name) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *name = simt::name_of(error);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
inline CUresult cuGetErrorString(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool known = simt::name_of(error) != nullptr;
  *text = known ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

inline CUresult cuDeviceGetCount(int* count) {
  return simt::driver(cudaGetDeviceCount(count));
}
inline CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!device) return simt::refused(CUDA_ERROR_INVALID_VALUE, "no place for the result");
  if (ordinal != 0) return simt::no_such_device(ordinal);
  *device = 0;
  return CUDA_SUCCESS;
}
inline CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  cudaDeviceProp prop;
  const cudaError_t error = cudaGetDeviceProperties(&prop, device);
  if (error != cudaSuccess) return simt::driver(error);
  if (!name || length <= 0)
    return simt::refused(CUDA_ERROR_INVALID_VALUE, "no place for the result");
  std::snprintf(name, static_cast<size_t>(length), "%s", prop.name);
  return CUDA_SUCCESS;
}
inline CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attr, CUdevice device) {
  return simt::driver(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attr), device));
}
inline CUresult cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  size_t free = 0;
  if (device != 0) return simt::no_such_device(device);
  return simt::driver(cudaMemGetInfo(&free, bytes));
}

// Contexts: there is one, always current.
inline CUresult cuCtxCreate(CUcontext* context, unsigned int, CUdevice device) {
  if (!context) return simt::refused(CUDA_ERROR_INVALID_VALUE, "no place for the result");
  if (device != 0) return simt::no_such_device(device);
  *context = simt::only_context();
  return CUDA_SUCCESS;
}
// CUDA 13's form; the parameters choose parts of a GPU.
typedef struct CUctxCreateParams_st {
  void* execAffinityParams;
  int numExecAffinityParams;
  void* cigParams;
} CUctxCreateParams;
inline CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned int flags,
                            CUdevice device) {
  return cuCtxCreate(context, flags, device);
}
inline CUresult cuCtxDestroy(CUcontext context) {
  return context ? CUDA_SUCCESS : simt::refused(CUDA_ERROR_INVALID_CONTEXT, "the context is null");
}
inline CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return cuCtxCreate(context, 0, device);
}
inline CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : simt::no_such_device(device);
}
inline CUresult cuCtxGetCurrent(CUcontext* context) {
  return cuCtxCreate(context, 0, 0);
}
inline CUresult cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
inline CUresult cuCtxPushCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
inline CUresult cuCtxPopCurrent(CUcontext* context) {
  return cuCtxCreate(context, 0, 0);
}
inline CUresult cuCtxGetDevice(CUdevice* device) {
  return cuDeviceGet(device, 0);
}
inline CUresult cuCtxSynchronize() {
  return simt::driver(cudaDeviceSynchronize());
}

inline CUresult cuMemGetInfo(size_t* free, size_t* total) {
  return simt::driver(cudaMemGetInfo(free, total));
}
inline CUresult cuMemAlloc(CUdeviceptr* address, size_t size) {
  if (!address) return simt::refused(CUDA_ERROR_INVALID_VALUE, "no place for the result");
  if (size == 0)
    return simt::refused(CUDA_ERROR_INVALID_VALUE,
                         "0 bytes; cudaMalloc would give a null pointer, cuMemAlloc refuses");
  return simt::driver(cudaMalloc(reinterpret_cast<void**>(address), size));
}
inline CUresult cuMemAllocManaged(CUdeviceptr* address, size_t size, unsigned int flags) {
  return simt::driver(cudaMallocManaged(reinterpret_cast<void**>(address), size, flags));
}
inline CUresult cuMemAllocHost(void** host, size_t size) {
  return simt::driver(cudaMallocHost(host, size));
}
inline CUresult cuMemGetAddressRange(CUdeviceptr* base, size_t* size, CUdeviceptr address) {
  const auto found = simt::find_allocation(simt::pointer(address));
  if (!found)
    return simt::refused(CUDA_ERROR_NOT_FOUND, "the address is in no allocation of device memory");
  if (base != nullptr) *base = found->base;
  if (size != nullptr) *size = found->size;
  return CUDA_SUCCESS;
}
inline CUresult cuMemFree(CUdeviceptr address) {
  return simt::driver(cudaFree(simt::pointer(address)));
}
inline CUresult cuMemFreeHost(void* host) {
  return simt::driver(cudaFreeHost(host));
}
inline CUresult cuMemcpyHtoD(CUdeviceptr dst, const void* src, size_t size) {
  return simt::driver(cudaMemcpy(simt::pointer(dst), src, size, cudaMemcpyHostToDevice));
}
inline CUresult cuMemcpyDtoH(void* dst, CUdeviceptr src, size_t size) {
  return simt::driver(cudaMemcpy(dst, simt::pointer(src), size, cudaMemcpyDeviceToHost));
}
inline CUresult cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t size) {
  return simt::driver(
      cudaMemcpy(simt::pointer(dst), simt::pointer(src), size, cudaMemcpyDeviceToDevice));
}
inline CUresult cuMemcpyHtoDAsync(CUdeviceptr dst, const void* src, size_t size, CUstream stream) {
  return simt::driver(
      cudaMemcpyAsync(simt::pointer(dst), src, size, cudaMemcpyHostToDevice, stream));
}
inline CUresult cuMemcpyDtoHAsync(void* dst, CUdeviceptr src, size_t size, CUstream stream) {
  return simt::driver(
      cudaMemcpyAsync(dst, simt::pointer(src), size, cudaMemcpyDeviceToHost, stream));
}
inline CUresult cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count) {
  return simt::driver(cudaMemset(simt::pointer(dst), value, count));
}
inline CUresult cuMemsetD32(CUdeviceptr dst, unsigned int value, size_t count) {
  const std::vector<unsigned int> words(count, value);
  return simt::driver(
      cudaMemcpy(simt::pointer(dst), words.data(), 4 * count, cudaMemcpyHostToDevice));
}

inline CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return simt::driver(cudaStreamCreateWithFlags(stream, flags));
}
inline CUresult cuStreamDestroy(CUstream stream) {
  return simt::driver(cudaStreamDestroy(stream));
}
inline CUresult cuStreamSynchronize(CUstream stream) {
  return simt::driver(cudaStreamSynchronize(stream));
}
inline CUresult cuStreamQuery(CUstream stream) {
  return simt::driver(cudaStreamQuery(stream));
}
inline CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return simt::driver(cudaStreamWaitEvent(stream, event, flags));
}
inline CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return simt::driver(cudaEventCreateWithFlags(event, flags));
}
inline CUresult cuEventDestroy(CUevent event) {
  return simt::driver(cudaEventDestroy(event));
}
inline CUresult cuEventRecord(CUevent event, CUstream stream) {
  return simt::driver(cudaEventRecord(event, stream));
}
inline CUresult cuEventSynchronize(CUevent event) {
  return simt::driver(cudaEventSynchronize(event));
}
inline CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return simt::driver(cudaEventElapsedTime(ms, start, end));
}

#include <simt/driver_launch.h>
#include <simt/driver_memory.h>
#include <simt/driver_tensor_map.h>
#include <simt/driver_virtual.h>
