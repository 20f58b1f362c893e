#pragma once

// Work of Thrust's device system runs as a grid of one thread: it may touch device memory and the
// checks see what it does, functors of the program included.

#include <simt/launch.h>
#include <thrust/system/cuda/error.h>
#include <thrust/system/system_error.h>

#include <new>
#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

inline void throw_on_error(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw thrust::system_error(error, thrust::cuda_category(), what);
}

// A kernel's closure is memory that host and kernel share: the result lies in it.
template <class Work, class Result>
struct Task {
  mutable Work work;  // functors may have a state
  mutable std::aligned_storage_t<sizeof(Result), alignof(Result)> result;

  void operator()() const { ::new (static_cast<void*>(&result)) Result(work()); }
};
template <class Work>
struct Task<Work, void> {
  mutable Work work;

  void operator()() const { work(); }
};

template <class Work>
auto run_on_device(const char* name, Work work) {
  using Result = decltype(work());
  if (::simt::in_kernel()) return work();
  Task<Work, Result> task{work};
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
