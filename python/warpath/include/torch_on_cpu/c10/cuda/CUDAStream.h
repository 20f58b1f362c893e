// Streams where there is no GPU: one device, whose streams are simt's.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>

namespace c10::cuda {

using DeviceIndex = std::int8_t;

class CUDAStream {
 public:
  CUDAStream() = default;
  explicit CUDAStream(cudaStream_t stream) : stream_(stream) {}
  operator cudaStream_t() const { return stream_; }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return 0; }
  bool query() const { return cudaStreamQuery(stream_) == cudaSuccess; }
  void synchronize() const { cudaStreamSynchronize(stream_); }

 private:
  cudaStream_t stream_ = nullptr;
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) {
  return CUDAStream();
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) {
  return CUDAStream();
}
inline CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1) {
  return CUDAStream();
}
inline DeviceIndex current_device() {
  return 0;
}
inline DeviceIndex device_count() {
  return 1;
}
inline void device_synchronize() {
  cudaDeviceSynchronize();
}

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::current_device;
using c10::cuda::device_count;
using c10::cuda::device_synchronize;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::getStreamFromPool;
}  // namespace at::cuda
