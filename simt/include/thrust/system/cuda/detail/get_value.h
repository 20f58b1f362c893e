#pragma once

// One element, read or written through device_reference: directly in a kernel, by a copy on the
// host, as with a GPU. Memory for Thrust's temporary arrays.

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/detail/cross_system.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <class Pointer>
auto fetch(Pointer from) {
  using T = typename thrust::iterator_traits<Pointer>::value_type;
  const T* const raw = thrust::raw_pointer_cast(from);
  if (::simt::in_kernel()) return T(*raw);
  alignas(T) unsigned char bytes[sizeof(T)];
  throw_on_error(cudaMemcpy(bytes, raw, sizeof(T), cudaMemcpyDefault), "copy of an element");
  return T(*std::launder(reinterpret_cast<T*>(bytes)));
}

template <class To, class From>
void store(To to, From from) {
  using T = typename thrust::iterator_traits<To>::value_type;
  T* const raw = thrust::raw_pointer_cast(to);
  if (::simt::in_kernel()) {
    *raw = *thrust::raw_pointer_cast(from);
    return;
  }
  const T value = fetch(from);
  throw_on_error(cudaMemcpy(raw, &value, sizeof(T), cudaMemcpyDefault), "copy of an element");
}

template <class Derived, class Pointer>
auto get_value(execution_policy<Derived>&, Pointer from) {
  return fetch(from);
}
template <class Derived, class To, class From>
void assign_value(execution_policy<Derived>&, To to, From from) {
  store(to, from);
}
template <class From, class To, class Pointer1, class Pointer2>
void assign_value(cross_system<From, To>&, Pointer1 to, Pointer2 from) {
  store(to, from);
}

template <class Derived>
void* malloc(execution_policy<Derived>&, std::size_t bytes) {
  void* result = nullptr;
  return cudaMalloc(&result, bytes) == cudaSuccess ? result : nullptr;
}
template <class Derived, class Pointer>
void free(execution_policy<Derived>&, Pointer pointer) {
  cudaFree(thrust::raw_pointer_cast(pointer));
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
