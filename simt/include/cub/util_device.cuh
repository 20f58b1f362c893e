#pragma once

#include <cub/util_debug.cuh>
#include <cub/util_ptx.cuh>

namespace cub {

inline cudaError_t PtxVersion(int& version) {
  version = 900;
  return cudaSuccess;
}
inline cudaError_t PtxVersion(int& version, int) {
  return PtxVersion(version);
}
inline cudaError_t SmVersion(int& version, int = 0) {
  return PtxVersion(version);
}
inline int CurrentDevice() {
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}
inline int DeviceCount() {
  int count = -1;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : -1;
}
inline cudaError_t SyncStream(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}
template <class Kernel>
cudaError_t MaxSmOccupancy(int& blocks, Kernel kernel, int threads, int shared = 0) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
}

namespace detail {

// Element i for a function of the program, which may want a reference: where the iterator gives a
// proxy of device memory, as thrust's do, what lies behind it.
template <class Iterator, class N>
auto element_at(Iterator& in, N i, int) -> decltype(*(&in[i]).get()) {
  return *(&in[i]).get();
}
template <class Iterator, class N>
auto element_at(Iterator& in, N i, long) -> decltype(in[i]) {
  return in[i];
}
template <class Iterator, class N>
auto element_at(Iterator& in, N i) -> decltype(element_at(in, i, 0)) {
  return element_at(in, i, 0);
}

// The protocol of all device-wide functions: without storage say how much; with it, run.
template <class Work>
cudaError_t device_wide(const char* name, void* storage, std::size_t& bytes, std::size_t needed,
                        cudaStream_t stream, Work work) {
  if (needed == 0) needed = 1;
  if (storage == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed) return cudaErrorInvalidValue;
  return simt::run_on_device(name, stream, work);
}

}  // namespace detail

}  // namespace cub
