// Guards of the current device and stream, where there is one device and nothing to guard.
#pragma once
#include <c10/cuda/CUDAStream.h>

#include <optional>

namespace c10::cuda {

struct CUDAGuard {
  template <class Device>
  explicit CUDAGuard(const Device&) {}
  template <class Device>
  void set_device(const Device&) {}
  template <class Device>
  void set_index(const Device&) {}
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  template <class Device>
  explicit OptionalCUDAGuard(const Device&) {}
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(const CUDAStream&) {}
};

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStreamGuard;
using c10::cuda::OptionalCUDAGuard;
}  // namespace at::cuda
