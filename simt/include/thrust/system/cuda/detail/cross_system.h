#pragma once

// The policy of a copy between the host's memory and the device's.

#include <thrust/system/cpp/detail/execution_policy.h>
#include <thrust/system/cuda/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <class From, class To>
struct cross_system : thrust::execution_policy<cross_system<From, To>> {};

template <class Device, class Host>
cross_system<Device, Host> select_system(const execution_policy<Device>&,
                                         const thrust::cpp::execution_policy<Host>&) {
  return {};
}
template <class Host, class Device>
cross_system<Host, Device> select_system(const thrust::cpp::execution_policy<Host>&,
                                         const execution_policy<Device>&) {
  return {};
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
