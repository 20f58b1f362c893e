// The device: its name, its sizes, and what may be set.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "api/device_properties.h"
#include "api/internal.h"
#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

namespace {

constexpr int version = CUDART_VERSION;
constexpr char pci_bus_id[] = "0000:00:00.0";

struct Settings {
  unsigned flags = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  cudaSharedMemConfig banks = cudaSharedMemBankSizeFourByte;
  size_t stack = 1024;
  size_t printf_buffer = 8650752;
  size_t heap = 8 << 20;
  size_t pending_launches = 2048;
  size_t l2_granularity = 64;
  size_t persisting_l2 = 11796480;
};

Settings settings;
std::atomic<unsigned> resets{0};

size_t* limit_of(cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return &settings.stack;
    case cudaLimitPrintfFifoSize:
      return &settings.printf_buffer;
    case cudaLimitMallocHeapSize:
      return &settings.heap;
    case cudaLimitDevRuntimePendingLaunchCount:
      return &settings.pending_launches;
    case cudaLimitMaxL2FetchGranularity:
      return &settings.l2_granularity;
    case cudaLimitPersistingL2CacheSize:
      return &settings.persisting_l2;
    default:
      return nullptr;
  }
}

cudaError_t bad_limit(cudaLimit limit) {
  return limit == cudaLimitDevRuntimeSyncDepth ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
}

template <class T>
cudaError_t answer(T* out, T value) {
  if (!out) return record(cudaErrorInvalidValue);
  *out = value;
  return cudaSuccess;
}

cudaError_t check_device(int device) {
  if (device == 0) return cudaSuccess;
  return record(cudaErrorInvalidDevice,
                "device " + std::to_string(device) + "; there is 1, device 0");
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return answer(count, 1);
}
cudaError_t cudaGetDevice(int* device) {
  return answer(device, 0);
}
cudaError_t cudaSetDevice(int device) {
  return check_device(device);
}
cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) {
  return check_device(device);
}
cudaError_t cudaDriverGetVersion(int* out) {
  return answer(out, version);
}
cudaError_t cudaRuntimeGetVersion(int* out) {
  return answer(out, version);
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || count > 1 || (count == 1 && !devices)) return record(cudaErrorInvalidValue);
  return count == 1 ? check_device(devices[0]) : cudaSuccess;
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  if (!prop) return record(cudaErrorInvalidValue);
  return answer(device, 0);
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  return answer(flags, settings.flags | static_cast<unsigned>(cudaDeviceMapHost));
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  if (flags & ~static_cast<unsigned>(cudaDeviceMask)) return record(cudaErrorInvalidValue);
  settings.flags = flags;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  if (!prop) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check_device(device)) return error;
  fill_properties(*prop);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  if (!value) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check_device(device)) return error;
  const auto found = device_attribute(attr);
  if (!found) return record(cudaErrorInvalidValue);
  *value = *found;
  return cudaSuccess;
}

cudaError_t cudaDeviceReset() {
  flush_device_printf();
  forget_streams();
  forget_functions();
  free_everything();
  forget_fault();
  settings = Settings{};
  ++resets;
  return cudaSuccess;
}

// How often there was a reset: a library that remembers what it has set must set it again. Looked
// up by name.
extern "C" unsigned simt_resets() {
  return resets;
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = graph::refuse_wait()) return record(error);
  return record(synchronise());
}
cudaError_t cudaThreadSynchronize() {
  return cudaDeviceSynchronize();
}
cudaError_t cudaThreadExit() {
  return cudaDeviceReset();
}
cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) {
  return cudaDeviceGetLimit(value, limit);
}
cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}
cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) {
  return cudaDeviceGetCacheConfig(config);
}
cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) {
  return cudaDeviceSetCacheConfig(config);
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned int) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaIpcCloseMemHandle(void*) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return record(cudaErrorNotSupported);
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return record(cudaErrorNotSupported);
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  const size_t* const current = limit_of(limit);
  if (!current) return record(bad_limit(limit));
  return answer(value, *current);
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (const cudaError_t error = device_state()) return record(error);
  size_t* const current = limit_of(limit);
  if (!current) return record(bad_limit(limit));
  *current = value;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return answer(config, settings.cache);
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  if (config < cudaFuncCachePreferNone || config > cudaFuncCachePreferEqual)
    return record(cudaErrorInvalidValue);
  settings.cache = config;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return answer(config, settings.banks);
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config) {
  // Banks are four bytes wide on every device since sm_50; the call is accepted and does nothing.
  if (config < cudaSharedMemBankSizeDefault || config > cudaSharedMemBankSizeEightByte)
    return record(cudaErrorInvalidValue);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return record(device_state());
}

cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device) {
  if (!bus_id || length < static_cast<int>(sizeof pci_bus_id)) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check_device(device)) return error;
  std::snprintf(bus_id, static_cast<size_t>(length), "%s", pci_bus_id);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* bus_id) {
  if (!device || !bus_id) return record(cudaErrorInvalidValue);
  if (std::strcmp(bus_id, pci_bus_id) != 0) return record(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  if (device != 0 || peer != 0) return record(cudaErrorInvalidDevice);
  return answer(can_access, 0);  // a device is not its own peer
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  if (flags != 0) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = check_device(peer)) return error;
  return record(cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  if (const cudaError_t error = check_device(peer)) return error;
  return record(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  if (!value) return record(cudaErrorInvalidValue);
  return record(cudaErrorInvalidDevice);  // two different devices are needed
}
