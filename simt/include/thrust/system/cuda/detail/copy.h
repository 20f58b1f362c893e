#pragma once

// Copies on the device and between host and device. What lies in one piece and is plain goes by
// cudaMemcpy; the rest element by element, across systems through arrays on both sides.

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/detail/raw_reference_cast.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/detail/cross_system.h>
#include <thrust/type_traits/is_contiguous_iterator.h>

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <class From, class To>
inline constexpr bool is_one_memcpy =
    thrust::is_contiguous_iterator<From>::value&& thrust::is_contiguous_iterator<To>::value&&
        std::is_same_v<typename thrust::iterator_traits<From>::value_type,
                       typename thrust::iterator_traits<To>::value_type>&&
            std::is_trivially_copyable_v<typename thrust::iterator_traits<To>::value_type>;

// The number of elements; thrust::distance may not be there yet.
template <class Iterator>
auto count_of(Iterator first, Iterator last, int) -> decltype(last - first) {
  return last - first;
}
template <class Iterator>
std::ptrdiff_t count_of(Iterator first, Iterator last, ...) {
  std::ptrdiff_t count = 0;
  for (; first != last; ++first) ++count;
  return count;
}

template <class Iterator>
auto* address_of_first(Iterator iterator) {
  return thrust::raw_pointer_cast(&*iterator);
}

template <class From, class Size, class To>
To copy_bytes(From first, Size count, To result) {
  using T = typename thrust::iterator_traits<To>::value_type;
  if (count <= 0) return result;
  throw_on_error(cudaMemcpy(address_of_first(result), address_of_first(first),
                            static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDefault),
                 "thrust::copy");
  return result + count;
}

// An array on the device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) {
    throw_on_error(cudaMalloc(&data_, count * sizeof(T) + 1), "thrust::copy");
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(data_); }
  T* data() const { return static_cast<T*>(data_); }

 private:
  void* data_ = nullptr;
};

// What becomes of an element: memory that holds a value, or memory that holds none yet.
struct Assign {
  template <class To, class Value>
  void operator()(To to, Value&& value) const {
    *to = static_cast<Value&&>(value);
  }
};
struct Construct {
  template <class To, class Value>
  void operator()(To to, Value&& value) const {
    using T = typename thrust::iterator_traits<To>::value_type;
    using Reference = decltype(thrust::raw_reference_cast(*to));
    if constexpr (std::is_same_v<Reference, T&>)
      ::new (static_cast<void*>(std::addressof(thrust::raw_reference_cast(*to))))
          T(thrust::raw_reference_cast(value));
    else
      *to = static_cast<Value&&>(value);
  }
};

template <class Make = Assign, class From, class Size, class To>
To copy_on_device(From first, Size count, To result) {
  if constexpr (is_one_memcpy<From, To>) {
    if (!::simt::in_kernel()) return copy_bytes(first, count, result);
  }
  return run_on_device("thrust::copy", [=] {
    From from = first;
    To to = result;
    for (Size i = 0; i < count; ++i, ++from, ++to) Make{}(to, *from);
    return to;
  });
}

template <class Make = Assign, class From, class Size, class To>
To copy_to_device(From first, Size count, To result) {
  if constexpr (is_one_memcpy<From, To>) {
    return copy_bytes(first, count, result);
  } else {
    using T = typename thrust::iterator_traits<From>::value_type;
    if (count <= 0) return result;
    struct Box {  // a vector<bool> has no array of bool
      T value;
    };
    std::vector<Box> values;
    values.reserve(static_cast<std::size_t>(count));
    for (Size i = 0; i < count; ++i, ++first) values.push_back(Box{T(*first)});
    const DeviceArray<T> array(values.size());
    copy_bytes(&values.front().value, count, array.data());
    return copy_on_device<Make>(static_cast<const T*>(array.data()), count, result);
  }
}

template <class Make = Assign, class From, class Size, class To>
To copy_to_host(From first, Size count, To result) {
  if constexpr (is_one_memcpy<From, To>) {
    return copy_bytes(first, count, result);
  } else {
    using T = typename thrust::iterator_traits<From>::value_type;
    if (count <= 0) return result;
    const DeviceArray<T> array(static_cast<std::size_t>(count));
    copy_on_device<Construct>(first, count, array.data());
    std::unique_ptr<T[]> values(new T[static_cast<std::size_t>(count)]);
    copy_bytes(array.data(), count, values.get());
    for (Size i = 0; i < count; ++i, ++result) Make{}(result, values[i]);
    return result;
  }
}

template <class Make, class Host, class Device, class From, class Size, class To>
To copy_across(const thrust::cpp::execution_policy<Host>*, const execution_policy<Device>*,
               From first, Size count, To result) {
  return copy_to_device<Make>(first, count, result);
}
template <class Make, class Device, class Host, class From, class Size, class To>
To copy_across(const execution_policy<Device>*, const thrust::cpp::execution_policy<Host>*,
               From first, Size count, To result) {
  return copy_to_host<Make>(first, count, result);
}

#define SIMT_THRUST_COPY(NAME, MAKE)                                                         \
  template <class Derived, class From, class To>                                             \
  To NAME(execution_policy<Derived>&, From first, From last, To result) {                    \
    return copy_on_device<MAKE>(first, count_of(first, last, 0), result);                    \
  }                                                                                          \
  template <class Derived, class From, class Size, class To>                                 \
  To NAME##_n(execution_policy<Derived>&, From first, Size count, To result) {               \
    return copy_on_device<MAKE>(first, count, result);                                       \
  }                                                                                          \
  template <class System1, class System2, class From, class To>                              \
  To NAME(cross_system<System1, System2>, From first, From last, To result) {                \
    return copy_across<MAKE>(static_cast<System1*>(nullptr), static_cast<System2*>(nullptr), \
                             first, count_of(first, last, 0), result);                       \
  }                                                                                          \
  template <class System1, class System2, class From, class Size, class To>                  \
  To NAME##_n(cross_system<System1, System2>, From first, Size count, To result) {           \
    return copy_across<MAKE>(static_cast<System1*>(nullptr), static_cast<System2*>(nullptr), \
                             first, count, result);                                          \
  }
SIMT_THRUST_COPY(copy, Assign)
SIMT_THRUST_COPY(uninitialized_copy, Construct)
#undef SIMT_THRUST_COPY

template <class Derived, class To, class Size, class T>
To uninitialized_fill_n(execution_policy<Derived>&, To first, Size count, const T& value) {
  return run_on_device("thrust::uninitialized_fill", [=] {
    To to = first;
    for (Size i = 0; i < count; ++i, ++to) Construct{}(to, value);
    return to;
  });
}
template <class Derived, class To, class T>
void uninitialized_fill(execution_policy<Derived>& policy, To first, To last, const T& value) {
  uninitialized_fill_n(policy, first, count_of(first, last, 0), value);
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END
