#pragma once

// Every algorithm on the device is the sequential one, run on the device. The overloads win over
// Thrust's generic ones because their first parameter is the closer base of the policy; names of
// algorithms that a program does not include are never looked up. A shuffle stays Thrust's own: it draws its keys on
// the host, from the caller's generator, which must go on; the scan of it then comes here.

#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cuda/detail/execution_policy.h>
#include <thrust/system/cuda/detail/run.h>

THRUST_NAMESPACE_BEGIN
namespace detail {
struct seq_t;
}

namespace cuda_cub {

// Depends on a template parameter, so that thrust/detail/seq.h may come later.
template <class>
struct sequential {
  using policy = thrust::detail::seq_t;
};

#define SIMT_THRUST_ALGORITHM(NAME)                              \
  template <class Derived, class... A>                           \
  auto NAME(execution_policy<Derived>&, A... a) {                \
    return run_on_device("thrust::" #NAME, [=]() mutable {       \
      return NAME(typename sequential<Derived>::policy{}, a...); \
    });                                                          \
  }

SIMT_THRUST_ALGORITHM(adjacent_difference)
SIMT_THRUST_ALGORITHM(all_of)
SIMT_THRUST_ALGORITHM(any_of)
SIMT_THRUST_ALGORITHM(none_of)
SIMT_THRUST_ALGORITHM(binary_search)
SIMT_THRUST_ALGORITHM(lower_bound)
SIMT_THRUST_ALGORITHM(upper_bound)
SIMT_THRUST_ALGORITHM(equal_range)
SIMT_THRUST_ALGORITHM(copy_if)
SIMT_THRUST_ALGORITHM(count)
SIMT_THRUST_ALGORITHM(count_if)
SIMT_THRUST_ALGORITHM(equal)
SIMT_THRUST_ALGORITHM(min_element)
SIMT_THRUST_ALGORITHM(max_element)
SIMT_THRUST_ALGORITHM(minmax_element)
SIMT_THRUST_ALGORITHM(fill)
SIMT_THRUST_ALGORITHM(fill_n)
SIMT_THRUST_ALGORITHM(find)
SIMT_THRUST_ALGORITHM(find_if)
SIMT_THRUST_ALGORITHM(find_if_not)
SIMT_THRUST_ALGORITHM(for_each)
SIMT_THRUST_ALGORITHM(for_each_n)
SIMT_THRUST_ALGORITHM(gather)
SIMT_THRUST_ALGORITHM(gather_if)
SIMT_THRUST_ALGORITHM(generate)
SIMT_THRUST_ALGORITHM(generate_n)
SIMT_THRUST_ALGORITHM(is_partitioned)
SIMT_THRUST_ALGORITHM(is_sorted)
SIMT_THRUST_ALGORITHM(is_sorted_until)
SIMT_THRUST_ALGORITHM(merge)
SIMT_THRUST_ALGORITHM(merge_by_key)
SIMT_THRUST_ALGORITHM(mismatch)
SIMT_THRUST_ALGORITHM(partition)
SIMT_THRUST_ALGORITHM(partition_copy)
SIMT_THRUST_ALGORITHM(partition_point)
SIMT_THRUST_ALGORITHM(stable_partition)
SIMT_THRUST_ALGORITHM(stable_partition_copy)
SIMT_THRUST_ALGORITHM(reduce_by_key)
SIMT_THRUST_ALGORITHM(reduce_into)
SIMT_THRUST_ALGORITHM(remove)
SIMT_THRUST_ALGORITHM(remove_if)
SIMT_THRUST_ALGORITHM(remove_copy)
SIMT_THRUST_ALGORITHM(remove_copy_if)
SIMT_THRUST_ALGORITHM(replace)
SIMT_THRUST_ALGORITHM(replace_if)
SIMT_THRUST_ALGORITHM(replace_copy)
SIMT_THRUST_ALGORITHM(replace_copy_if)
SIMT_THRUST_ALGORITHM(reverse)
SIMT_THRUST_ALGORITHM(reverse_copy)
SIMT_THRUST_ALGORITHM(inclusive_scan)
SIMT_THRUST_ALGORITHM(exclusive_scan)
SIMT_THRUST_ALGORITHM(inclusive_scan_by_key)
SIMT_THRUST_ALGORITHM(exclusive_scan_by_key)
SIMT_THRUST_ALGORITHM(scatter)
SIMT_THRUST_ALGORITHM(scatter_if)
SIMT_THRUST_ALGORITHM(sequence)
SIMT_THRUST_ALGORITHM(set_difference)
SIMT_THRUST_ALGORITHM(set_difference_by_key)
SIMT_THRUST_ALGORITHM(set_intersection)
SIMT_THRUST_ALGORITHM(set_intersection_by_key)
SIMT_THRUST_ALGORITHM(set_symmetric_difference)
SIMT_THRUST_ALGORITHM(set_symmetric_difference_by_key)
SIMT_THRUST_ALGORITHM(set_union)
SIMT_THRUST_ALGORITHM(set_union_by_key)
SIMT_THRUST_ALGORITHM(sort)
SIMT_THRUST_ALGORITHM(sort_by_key)
SIMT_THRUST_ALGORITHM(stable_sort)
SIMT_THRUST_ALGORITHM(stable_sort_by_key)
SIMT_THRUST_ALGORITHM(swap_ranges)
SIMT_THRUST_ALGORITHM(tabulate)
SIMT_THRUST_ALGORITHM(transform)
SIMT_THRUST_ALGORITHM(transform_if)
SIMT_THRUST_ALGORITHM(transform_inclusive_scan)
SIMT_THRUST_ALGORITHM(transform_exclusive_scan)
SIMT_THRUST_ALGORITHM(unique)
SIMT_THRUST_ALGORITHM(unique_by_key)
SIMT_THRUST_ALGORITHM(unique_by_key_copy)
SIMT_THRUST_ALGORITHM(unique_copy)
SIMT_THRUST_ALGORITHM(unique_count)

#undef SIMT_THRUST_ALGORITHM

// The two elements of device_reference::swap.
template <class Derived, class Pointer1, class Pointer2>
void iter_swap(execution_policy<Derived>&, Pointer1 a, Pointer2 b) {
  run_on_device("thrust::swap", [=] {
    using ::cuda::std::swap;
    swap(*thrust::raw_pointer_cast(a), *thrust::raw_pointer_cast(b));
  });
}

// A range's elements themselves, not what stands for them on the host: for functors that take any type, and for sums of
// another type than the elements'.
template <class Iterator>
struct ElementsAt {
  Iterator at;
  typename thrust::iterator_value<Iterator>::type operator*() const { return *at; }
  template <class Size>
  ElementsAt operator+(Size n) const {
    return {at + n};
  }
};

// Thrust makes transform_reduce, inner_product and the other forms of reduce from this one.
template <class Derived, class Iterator, class T, class Op>
T reduce(execution_policy<Derived>&, Iterator first, Iterator last, T init, Op op) {
  return run_on_device("thrust::reduce", [=]() mutable -> T {
    const auto count = last - first;
    return count > 0 ? op(init, ::simt::tree_reduce<T>(ElementsAt<Iterator>{first}, count, op))
                     : init;
  });
}

}  // namespace cuda_cub
THRUST_NAMESPACE_END

#include <thrust/detail/seq.h>
