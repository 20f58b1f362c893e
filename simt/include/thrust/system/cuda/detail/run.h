#pragma once

// Work of Thrust's device system: errors become Thrust's exceptions.

#include <simt/device_task.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/system_error.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

inline void throw_on_error(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw thrust::system_error(error, thrust::cuda_category(), what);
}

template <class Work>
auto run_on_device(const char* name, Work work) {
  using Result = decltype(work());
  if (::simt::in_kernel()) return work();
  ::simt::DeviceTask<Work, Result> task{work};
  cudaError_t error = ::simt::run_kernel(::simt::config(dim3(1), dim3(1)), nullptr, name, task);
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  throw_on_error(error, name);
  if constexpr (!std::is_void_v<Result>) {
    Result* const result = std::launder(reinterpret_cast<Result*>(&task.result));
    Result taken = static_cast<Result&&>(*result);
    result->~Result();
    return taken;
  }
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
