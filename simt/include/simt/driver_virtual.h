#pragma once

// The driver API's virtual memory: addresses are reserved, memory is made, the one is mapped to the
// other, and nobody may touch it before access was set. Part of cuda.h.

#include <simt/virtual_memory.h>

typedef unsigned long long CUmemGenericAllocationHandle;

typedef enum CUmemLocationType_enum {
  CU_MEM_LOCATION_TYPE_INVALID = 0,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_LOCATION_TYPE_HOST = 2,
  CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
  CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4
} CUmemLocationType;

typedef enum CUmemAllocationType_enum {
  CU_MEM_ALLOCATION_TYPE_INVALID = 0,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1
} CUmemAllocationType;

typedef enum CUmemAllocationHandleType_enum {
  CU_MEM_HANDLE_TYPE_NONE = 0,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
  CU_MEM_HANDLE_TYPE_WIN32 = 2,
  CU_MEM_HANDLE_TYPE_WIN32_KMT = 4,
  CU_MEM_HANDLE_TYPE_FABRIC = 8
} CUmemAllocationHandleType;

typedef enum CUmemAccess_flags_enum {
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
} CUmemAccess_flags;

typedef enum CUmemAllocationGranularity_flags_enum {
  CU_MEM_ALLOC_GRANULARITY_MINIMUM = 0,
  CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1
} CUmemAllocationGranularity_flags;

typedef enum CUmemAllocationCompType_enum {
  CU_MEM_ALLOCATION_COMP_NONE = 0,
  CU_MEM_ALLOCATION_COMP_GENERIC = 1
} CUmemAllocationCompType;

typedef struct CUmemLocation_st {
  CUmemLocationType type;
  int id;
} CUmemLocation;

typedef struct CUmemAllocationProp_st {
  CUmemAllocationType type;
  CUmemAllocationHandleType requestedHandleTypes;
  CUmemLocation location;
  void* win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc_st {
  CUmemLocation location;
  CUmemAccess_flags flags;
} CUmemAccessDesc;

namespace simt {

inline bool is_here(const CUmemAllocationProp* prop) {
  return prop != nullptr && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
         prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
}

}  // namespace simt

inline CUresult cuMemGetAllocationGranularity(size_t* granularity, const CUmemAllocationProp* prop,
                                              CUmemAllocationGranularity_flags) {
  if (!granularity || !simt::is_here(prop)) return CUDA_ERROR_INVALID_VALUE;
  if (prop->location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
  *granularity = simt::virtual_memory::granularity;
  return CUDA_SUCCESS;
}
inline CUresult cuMemAddressReserve(CUdeviceptr* address, size_t size, size_t alignment,
                                    CUdeviceptr, unsigned long long flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return simt::driver(
      simt::virtual_memory::reserve(reinterpret_cast<void**>(address), size, alignment));
}
inline CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
  return simt::driver(simt::virtual_memory::release(simt::pointer(address), size));
}
inline CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t size,
                            const CUmemAllocationProp* prop, unsigned long long flags) {
  if (!simt::is_here(prop) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (prop->location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
  return simt::driver(simt::virtual_memory::create(handle, size));
}
inline CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return simt::driver(simt::virtual_memory::drop(handle));
}
inline CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return simt::driver(simt::virtual_memory::map(simt::pointer(address), size, offset, handle));
}
inline CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
  return simt::driver(simt::virtual_memory::unmap(simt::pointer(address), size));
}
inline CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc* access,
                               size_t count) {
  if (!access || count == 0) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || access[i].location.id != 0)
      return CUDA_ERROR_INVALID_DEVICE;
    const CUresult result = simt::driver(simt::virtual_memory::allow(
        simt::pointer(address), size, access[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE,
        access[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE));
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}
inline CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                               CUdeviceptr address) {
  if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
  return simt::driver(simt::virtual_memory::access_of(flags, simt::pointer(address)));
}
inline CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return simt::driver(simt::virtual_memory::retain(handle, address));
}
inline CUresult cuMemExportToShareableHandle(void* to, CUmemGenericAllocationHandle handle,
                                             CUmemAllocationHandleType type,
                                             unsigned long long flags) {
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR || flags != 0)
    return CUDA_ERROR_NOT_SUPPORTED;
  return simt::driver(simt::virtual_memory::export_descriptor(static_cast<int*>(to), handle));
}
inline CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* from,
                                               CUmemAllocationHandleType type) {
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) return CUDA_ERROR_NOT_SUPPORTED;
  const int descriptor = static_cast<int>(reinterpret_cast<std::uintptr_t>(from));
  return simt::driver(simt::virtual_memory::import_descriptor(handle, descriptor));
}
