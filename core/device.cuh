// Facts about the current device that launchers size their grids by, and what a kernel may use of it. Each is asked of
// the runtime once: its answer takes about as long as a launch does.
#pragma once
#include <cuda_runtime.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <tuple>

#include "core/error.h"

// How often this process has reset its device; only simt has it, and only there a reset happens under our feet (after a
// fault in somebody's own kernel). It forgets what kernels were allowed.
extern "C" __attribute__((weak)) unsigned simt_resets();

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

// Sets an attribute of a kernel where it is not that large already: a launch on another thread may count on what was
// set before.
inline void raise_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  static std::mutex lock;
  static std::map<std::tuple<const void*, int, int>, int> known;  // kernel, device, attribute
  static unsigned resets = 0;
  const int device = current_device();
  const std::lock_guard hold(lock);
  if (const unsigned now = simt_resets ? simt_resets() : 0; now != resets) {
    known.clear();
    resets = now;
  }
  int& is = known[{kernel, device, static_cast<int>(attribute)}];
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

// Before a launch in clusters of more than 8 blocks.
template <class... Params>
void allow_large_clusters(void (*kernel)(Params...)) {
  detail::raise_attribute(reinterpret_cast<const void*>(kernel),
                          cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
}

}  // namespace warpath
