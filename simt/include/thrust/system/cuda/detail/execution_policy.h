#pragma once

// The device's tag and the base of its policies.

#include <thrust/detail/config.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/iterator/detail/any_system_tag.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

struct tag;
template <class Derived>
struct execution_policy;

template <>
struct execution_policy<tag> : thrust::execution_policy<tag> {
  using tag_type = tag;
};

struct tag : execution_policy<tag> {};

template <class Derived>
struct execution_policy : thrust::execution_policy<Derived> {
  using tag_type = tag;
  operator tag() const { return {}; }
};

}  // namespace cuda_cub

namespace system::cuda {
using thrust::cuda_cub::execution_policy;
using thrust::cuda_cub::tag;
namespace detail {
using thrust::cuda_cub::execution_policy;
using thrust::cuda_cub::tag;
}  // namespace detail
}  // namespace system::cuda

namespace cuda {
using thrust::cuda_cub::execution_policy;
using thrust::cuda_cub::tag;
}  // namespace cuda
THRUST_NAMESPACE_END
