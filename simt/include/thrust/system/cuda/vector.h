#pragma once

#include <thrust/detail/vector_base.h>
#include <thrust/system/cuda/memory.h>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {
template <class T, class Allocator = allocator<T>>
using vector = thrust::detail::vector_base<T, Allocator>;
template <class T, class Allocator = universal_allocator<T>>
using universal_vector = thrust::detail::vector_base<T, Allocator>;
template <class T>
using universal_host_pinned_vector =
    thrust::detail::vector_base<T, universal_host_pinned_allocator<T>>;
}  // namespace system::cuda

namespace cuda {
using thrust::system::cuda::universal_host_pinned_vector;
using thrust::system::cuda::universal_vector;
using thrust::system::cuda::vector;
}  // namespace cuda
THRUST_NAMESPACE_END
