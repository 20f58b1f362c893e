// Allocating and freeing memory of every kind.

#include <cstdlib>

#include "api/internal.h"
#include "graph/memory.h"
#include "tools/check_hooks.h"

using namespace simt;
using namespace simt::api;

namespace {

constexpr size_t pitch_unit =
    512;  // rows of cudaMallocPitch begin at multiples of this, as on sm_90

cudaError_t allocate(void** pointer, size_t size, MemoryKind kind, unsigned flags, const char* call,
                     const void* caller) {
  if (!pointer) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = synchronise()) return record_unallocated(error, call);
  *pointer = nullptr;
  if (size == 0) return cudaSuccess;
  void* allocation = kind == MemoryKind::pinned
                         ? std::aligned_alloc(4096, (size + 4095) / 4096 * 4096)
                         : heap_allocate(size);
  if (!allocation) {
    return record_unallocated(cudaErrorMemoryAllocation, call,
                              kind == MemoryKind::pinned
                                  ? ""
                                  : std::to_string(size) + " bytes of device memory; of " +
                                        std::to_string(heap_total()) + " bytes " +
                                        std::to_string(heap_used()) + " are in use");
  }
  add_allocation(allocation, size, kind, flags);
  if (check_hooks != nullptr) check_hooks->allocated(allocation, size, kind, caller);
  *pointer = allocation;
  return cudaSuccess;
}

bool on_heap(MemoryKind kind) {
  return kind == MemoryKind::device || kind == MemoryKind::managed;
}
bool is_pinned(MemoryKind kind) {
  return kind == MemoryKind::pinned;
}
bool is_registered(MemoryKind kind) {
  return kind == MemoryKind::registered;
}

// Pitch of a row; 0 when the whole cannot be expressed.
size_t pitch_of(size_t width, size_t rows) {
  const size_t pitch = (width + pitch_unit - 1) / pitch_unit * pitch_unit;
  size_t bytes = 0;
  return pitch < width || __builtin_mul_overflow(pitch, rows, &bytes) ? 0 : pitch;
}

}  // namespace

cudaError_t simt::api::allocate_own(void** pointer, std::size_t size) {
  return allocate(pointer, size, MemoryKind::device, 0, nullptr, nullptr);
}

cudaError_t cudaMalloc(void** pointer, size_t size) {
  return allocate(pointer, size, MemoryKind::device, 0, "cudaMalloc", __builtin_return_address(0));
}

void simt::tell_shape(const void* base, const ArrayShape& shape) {
  if (check_hooks != nullptr) check_hooks->has_shape(base, shape);
}

cudaError_t cudaMallocManaged(void** pointer, size_t size, unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
    return record(cudaErrorInvalidValue);
  return allocate(pointer, size, MemoryKind::managed, flags, "cudaMallocManaged",
                  __builtin_return_address(0));
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (!pointer || !pitch) return record(cudaErrorInvalidValue);
  *pitch = pitch_of(width, height);
  if (*pitch == 0 && width != 0) return record(cudaErrorMemoryAllocation);
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (!pointer) return record(cudaErrorInvalidValue);
  size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return record(cudaErrorMemoryAllocation);
  *pointer = make_cudaPitchedPtr(nullptr, 0, extent.width, extent.height);
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, rows);
}

cudaError_t cudaFree(void* pointer) {
  if (const cudaError_t error = synchronise()) return record(error);
  if (!pointer) return cudaSuccess;
  if (const auto allocation = graph::allocation_at(pointer)) return record(graph::free(allocation));
  const auto freed = take_allocation(pointer, on_heap);
  if (!freed) {
    if (check_hooks != nullptr) check_hooks->bad_free(pointer, __builtin_return_address(0));
    return record(cudaErrorInvalidValue);
  }
  if (check_hooks != nullptr &&
      check_hooks->freed(pointer, freed->size, __builtin_return_address(0))) {
    return cudaSuccess;
  }
  heap_free(pointer, freed->size);
  return cudaSuccess;
}

cudaError_t cudaMallocHost(void** pointer, size_t size) {
  return allocate(pointer, size, MemoryKind::pinned, cudaHostAllocDefault, "cudaMallocHost",
                  __builtin_return_address(0));
}

cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned int flags) {
  constexpr unsigned known =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  if (flags & ~known) return record(cudaErrorInvalidValue);
  return allocate(pointer, size, MemoryKind::pinned, flags, "cudaHostAlloc",
                  __builtin_return_address(0));
}

cudaError_t cudaFreeHost(void* pointer) {
  if (const cudaError_t error = synchronise()) return record(error);
  if (!pointer) return cudaSuccess;
  if (!take_allocation(pointer, is_pinned)) return record(cudaErrorInvalidValue);
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, size_t size, unsigned int flags) {
  constexpr unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped |
                             cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
  if (!pointer || size == 0 || (flags & ~known)) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  if (find_allocation(pointer) || find_allocation(static_cast<char*>(pointer) + size - 1))
    return record(cudaErrorHostMemoryAlreadyRegistered);
  add_allocation(pointer, size, MemoryKind::registered, flags);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  if (!pointer) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  if (!take_allocation(pointer, is_registered)) return record(cudaErrorHostMemoryNotRegistered);
  return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  if (!device || !host || flags != 0) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  const auto found = find_allocation(host);
  if (!found || (!is_pinned(found->kind) && !is_registered(found->kind)))
    return record(cudaErrorInvalidValue);
  *device = host;  // one address space
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* host) {
  const auto found = find_allocation(host);
  if (!flags || !found || (!is_pinned(found->kind) && !is_registered(found->kind)))
    return record(cudaErrorInvalidValue);
  *flags = found->flags | cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  if (const cudaError_t error = device_state()) return record(error);
  if (total) *total = heap_total();
  if (free) *free = heap_total() - heap_used();
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  *attributes = {};
  void* const same = const_cast<void*>(pointer);
  const auto found = find_allocation(pointer);
  if (!found) {
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = same;
    return cudaSuccess;
  }
  attributes->device = 0;
  attributes->devicePointer = same;
  switch (found->kind) {
    case MemoryKind::device:
    case MemoryKind::symbol:
      attributes->type = cudaMemoryTypeDevice;
      break;
    case MemoryKind::managed:
      attributes->type = cudaMemoryTypeManaged;
      attributes->hostPointer = same;
      break;
    case MemoryKind::pinned:
    case MemoryKind::registered:
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = same;
      break;
  }
  const bool host = attributes->type == cudaMemoryTypeHost;
  attributes->memoryType = host ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  return cudaSuccess;
}
