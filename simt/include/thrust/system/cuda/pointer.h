#pragma once

#include <thrust/detail/pointer.h>
#include <thrust/detail/reference.h>
#include <thrust/system/cuda/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system::cuda {
template <class T>
using pointer = thrust::pointer<T, tag, thrust::tagged_reference<T, tag>>;
template <class T>
using universal_pointer = thrust::pointer<T, tag, std::add_lvalue_reference_t<T>>;
template <class T>
using reference = thrust::tagged_reference<T, tag>;
}  // namespace system::cuda

namespace cuda {
using thrust::system::cuda::pointer;
using thrust::system::cuda::reference;
using thrust::system::cuda::universal_pointer;
}  // namespace cuda
THRUST_NAMESPACE_END
