#pragma once

// Memory for the temporary arrays of sequential algorithms: in a kernel it is the device's.

#include <simt/self.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <cstdlib>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <class Derived>
void* malloc(execution_policy<Derived>&, std::size_t bytes) {
  if (!::simt::in_kernel()) return std::malloc(bytes);
  void* result = nullptr;
  return cudaMalloc(&result, bytes) == cudaSuccess ? result : nullptr;
}

template <class Derived, class Pointer>
void free(execution_policy<Derived>&, Pointer pointer) {
  void* const raw = thrust::raw_pointer_cast(pointer);
  if (::simt::in_kernel()) {
    cudaFree(raw);
  } else {
    std::free(raw);
  }
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
