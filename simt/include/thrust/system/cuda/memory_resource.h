#pragma once

// Where device_vector and universal_vector take their memory from: simt's cudaMalloc and its
// relatives, so that kernels, copies and checks know it.

#include <thrust/mr/memory_resource.h>
#include <thrust/system/cuda/detail/run.h>
#include <thrust/system/cuda/pointer.h>
#include <thrust/system/detail/bad_alloc.h>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {
namespace detail {

template <cudaError_t (*Allocate)(void**, std::size_t), cudaError_t (*Free)(void*), class Pointer>
class cuda_memory_resource final : public thrust::mr::memory_resource<Pointer> {
 public:
  Pointer do_allocate(std::size_t bytes, std::size_t) override {
    void* result = nullptr;
    const cudaError_t error = Allocate(&result, bytes);
    if (error != cudaSuccess) {
      cudaGetLastError();
      throw thrust::system::detail::bad_alloc(cudaGetErrorString(error));
    }
    return Pointer(result);
  }
  void do_deallocate(Pointer p, std::size_t, std::size_t) override {
    thrust::cuda_cub::throw_on_error(Free(thrust::raw_pointer_cast(p)), "cudaFree");
  }
};

inline cudaError_t allocate_device(void** to, std::size_t bytes) {
  return ::cudaMalloc(to, bytes);
}
inline cudaError_t allocate_managed(void** to, std::size_t bytes) {
  return ::cudaMallocManaged(to, bytes);
}
inline cudaError_t allocate_pinned(void** to, std::size_t bytes) {
  return ::cudaMallocHost(to, bytes);
}
inline cudaError_t free_device(void* pointer) {
  return ::cudaFree(pointer);
}
inline cudaError_t free_pinned(void* pointer) {
  return ::cudaFreeHost(pointer);
}

}  // namespace detail

using memory_resource =
    detail::cuda_memory_resource<detail::allocate_device, detail::free_device, pointer<void>>;
using universal_memory_resource =
    detail::cuda_memory_resource<detail::allocate_managed, detail::free_device,
                                 universal_pointer<void>>;
using universal_host_pinned_memory_resource =
    detail::cuda_memory_resource<detail::allocate_pinned, detail::free_pinned,
                                 universal_pointer<void>>;

}  // namespace system::cuda

namespace cuda {
using thrust::system::cuda::memory_resource;
using thrust::system::cuda::universal_host_pinned_memory_resource;
using thrust::system::cuda::universal_memory_resource;
}  // namespace cuda
THRUST_NAMESPACE_END
