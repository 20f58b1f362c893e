// Facts about the current device that launchers size their grids by, and what a kernel may use of
// it. The runtime is asked once for each: a query takes about as long as a launch.
#pragma once
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "core/host/error.h"

namespace warpath {

inline int current_device() {
  int device = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

inline int device_attribute(cudaDeviceAttr attribute) {
  int value = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, current_device()));
  return value;
}

inline unsigned multiprocessors() {
  constexpr std::size_t most = 64;
  static std::array<std::atomic<unsigned>, most> known{};
  const auto device = static_cast<std::size_t>(current_device());
  const auto ask = [] {
    return static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  };
  if (device >= most) return ask();
  unsigned count = known[device].load(std::memory_order_relaxed);
  if (count == 0) known[device].store(count = ask(), std::memory_order_relaxed);
  return count;
}

namespace detail {

// The id of the current context. cudaDeviceReset() makes a new one and forgets the attributes of
// kernels. The driver's function, found through the runtime: no program of ours links to the driver
// itself.
inline unsigned long long context_id() {
  using GetId = int (*)(void* context, unsigned long long* id);  // cuCtxGetId
  static const auto get_id = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    CUDA_CHECK(
        cudaGetDriverEntryPointByVersion("cuCtxGetId", &found, 12000, cudaEnableDefault, &result));
    return reinterpret_cast<GetId>(found);
  }();
  unsigned long long id = 0;
  return get_id && get_id(nullptr, &id) == 0 ? id : 0;
}

// Raises an attribute of a kernel, never lowers it: a launch on another thread may rely on the
// larger value.
inline void raise_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  static std::mutex lock;
  // By context, kernel and attribute.
  static std::map<std::tuple<unsigned long long, const void*, int>, int> known;
  current_device();  // there is a context from here on
  const unsigned long long context = context_id();
  const std::lock_guard hold(lock);
  int& is = known[{context, kernel, static_cast<int>(attribute)}];
  if (is >= value) return;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, attribute, value));
  is = value;
}

}  // namespace detail

// Before a launch with more than 48 KiB of dynamic shared memory. Returns the size.
template <class... Params>
int allow_shared(void (*kernel)(Params...), std::size_t bytes) {
  const int size = static_cast<int>(bytes);
  detail::raise_attribute(reinterpret_cast<const void*>(kernel),
                          cudaFuncAttributeMaxDynamicSharedMemorySize, size);
  return size;
}

// For a rung's .supports: empty where a block may have that much shared memory.
inline std::string enough_shared_memory(std::size_t bytes) {
  const int have = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (static_cast<std::size_t>(have) >= bytes) return {};
  return "needs " + std::to_string((bytes + 1023) / 1024) +
         " KiB of shared memory per block; this device has " + std::to_string(have / 1024);
}

// Before a launch in clusters of more than 8 blocks.
template <class... Params>
void allow_large_clusters(void (*kernel)(Params...)) {
  detail::raise_attribute(reinterpret_cast<const void*>(kernel),
                          cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

}  // namespace warpath
