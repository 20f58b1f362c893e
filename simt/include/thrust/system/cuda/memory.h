#pragma once

#include <thrust/mr/allocator.h>
#include <thrust/system/cuda/memory_resource.h>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {

inline pointer<void> malloc(std::size_t bytes) {
  void* result = nullptr;
  const cudaError_t error = ::cudaMalloc(&result, bytes);
  return pointer<void>(error == cudaSuccess ? result : nullptr);
}
template <class T>
pointer<T> malloc(std::size_t count) {
  return pointer<T>(
      static_cast<T*>(thrust::raw_pointer_cast(system::cuda::malloc(count * sizeof(T)))));
}
inline void free(pointer<void> p) {
  ::cudaFree(thrust::raw_pointer_cast(p));
}

template <class T>
using allocator = thrust::mr::stateless_resource_allocator<T, memory_resource>;
template <class T>
using universal_allocator = thrust::mr::stateless_resource_allocator<T, universal_memory_resource>;
template <class T>
using universal_host_pinned_allocator =
    thrust::mr::stateless_resource_allocator<T, universal_host_pinned_memory_resource>;

}  // namespace system::cuda

namespace cuda {
using thrust::system::cuda::allocator;
using thrust::system::cuda::free;
using thrust::system::cuda::malloc;
using thrust::system::cuda::universal_allocator;
using thrust::system::cuda::universal_host_pinned_allocator;
}  // namespace cuda
THRUST_NAMESPACE_END
