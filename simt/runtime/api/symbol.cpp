// Copies to and from __device__ and __constant__ variables, and managed memory's hints.

#include "api/internal.h"
#include "tools/check_hooks.h"

using namespace simt;
using namespace simt::api;

namespace {

char* at(const void* symbol, size_t offset) {
  return static_cast<char*>(const_cast<void*>(symbol)) + offset;
}

// Where variables of the device are, __managed__ ones among them. CUDA takes nothing else, not even their addresses.
bool is_symbol(const std::optional<Allocation>& found) {
  return found && (found->kind == MemoryKind::symbol || found->kind == MemoryKind::managed);
}

cudaError_t no_symbol(const void* symbol) {
  const auto memory = find_allocation(symbol);
  std::string reason = "the symbol is ";
  if (symbol == nullptr) {
    reason += "a null pointer";
  } else if (memory && memory->kind != MemoryKind::symbol) {
    reason += "memory that an API call has given: use cudaMemcpy";
  } else if (memory) {
    reason += "not the beginning of a variable";
  } else {
    reason += "on the host: it must be a __device__, __constant__ or __managed__ variable";
  }
  return record(cudaErrorInvalidSymbol, reason);
}

// A copy to (`written`) or from a device variable.
struct SymbolCopy {
  const void* symbol;
  size_t count, offset;
  bool written;

  cudaError_t check(cudaMemcpyKind kind) const {
    const cudaMemcpyKind wrong = written ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
    const auto found = symbol != nullptr ? allocation_at(symbol) : std::nullopt;
    if (!found || found->kind != MemoryKind::symbol || (written && !is_module_data(symbol, true))) {
      return no_symbol(symbol);
    }
    if (kind == wrong || kind == cudaMemcpyHostToHost)
      return record(cudaErrorInvalidMemcpyDirection);
    if (offset <= found->size && count <= found->size - offset) return cudaSuccess;
    if (check_hooks != nullptr) {
      check_hooks->bad_range(written ? "copy to" : "copy from", at(symbol, offset), count);
    }
    return record(cudaErrorInvalidValue, std::to_string(count) + " bytes at offset " +
                                             std::to_string(offset) + " of a variable of " +
                                             std::to_string(found->size) + " bytes");
  }
};

cudaError_t hint(const void* pointer, size_t count, cudaStream_t stream) {
  if (const cudaError_t error = device_state()) return record(error);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  const auto found = find_allocation(pointer);
  if (count == 0 || !found || found->kind != MemoryKind::managed ||
      count > found->end() - reinterpret_cast<uintptr_t>(pointer))
    return record(cudaErrorInvalidValue);
  return cudaSuccess;
}

bool is_device_or_host(int device) {
  return device == 0 || device == cudaCpuDeviceId;
}

bool is_location(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice ? location.id == 0
                                                    : location.type != cudaMemLocationTypeInvalid;
}

}  // namespace

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  const SymbolCopy copy{symbol, count, offset, true};
  if (const cudaError_t error = copy.check(kind)) return error;
  return cudaMemcpy(at(symbol, offset), src, count, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  const SymbolCopy copy{symbol, count, offset, true};
  if (const cudaError_t error = copy.check(kind)) return error;
  return cudaMemcpyAsync(at(symbol, offset), src, count, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  const SymbolCopy copy{symbol, count, offset, false};
  if (const cudaError_t error = copy.check(kind)) return error;
  return cudaMemcpy(dst, at(symbol, offset), count, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  const SymbolCopy copy{symbol, count, offset, false};
  if (const cudaError_t error = copy.check(kind)) return error;
  return cudaMemcpyAsync(dst, at(symbol, offset), count, kind, stream);
}

cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  if (!pointer) return record(cudaErrorInvalidValue);
  if (!symbol || !is_symbol(allocation_at(symbol))) return no_symbol(symbol);
  if (const cudaError_t error = device_state()) return record(error);
  *pointer = const_cast<void*>(symbol);
  return cudaSuccess;
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  if (!size) return record(cudaErrorInvalidValue);
  const auto found = allocation_at(symbol);
  if (!is_symbol(found)) return no_symbol(symbol);
  *size = found->size;
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream) {
  if (flags != 0) return record(cudaErrorInvalidValue);
  if (!is_location(location)) return record(cudaErrorInvalidDevice);
  return hint(pointer, count, stream);
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t count, int device,
                                 cudaStream_t stream) {
  if (!is_device_or_host(device)) return record(cudaErrorInvalidDevice);
  return hint(pointer, count, stream);
}

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
    return record(cudaErrorInvalidValue);
  if (advice > cudaMemAdviseUnsetReadMostly && !is_location(location))
    return record(cudaErrorInvalidDevice);
  return hint(pointer, count, nullptr);
}

cudaError_t cudaMemAdvise(const void* pointer, size_t count, cudaMemoryAdvise advice, int device) {
  const bool host = device == cudaCpuDeviceId;
  return cudaMemAdvise(
      pointer, count, advice,
      cudaMemLocation{host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device});
}

cudaError_t cudaMemRangeGetAttribute(void* data, size_t size, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t count) {
  if (!data || size < sizeof(int)) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = hint(pointer, count, nullptr)) return error;
  // No advice has an effect, so each answer is the one for memory without advice.
  const bool location = attribute != cudaMemRangeAttributeReadMostly;
  for (size_t i = 0; i < size / sizeof(int); ++i)
    static_cast<int*>(data)[i] = location ? cudaInvalidDeviceId : 0;
  return cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t length,
                                     unsigned int flags) {
  if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle)
    return record(cudaErrorInvalidValue);
  const auto found = allocation_at(pointer);
  return hint(pointer, length == 0 && found ? found->size : length, stream);
}
