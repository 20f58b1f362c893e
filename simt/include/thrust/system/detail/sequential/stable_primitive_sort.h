#pragma once

// Sorts of numbers by their bits. Thrust's own widens an int to 64 bits and then turns over bit 31,
// which puts negative numbers last; kernels never meet it on a GPU, but run it here.

#include <simt/radix_key.h>
#include <thrust/detail/temporary_array.h>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/sequential/execution_policy.h>
#include <thrust/system/detail/sequential/stable_merge_sort.h>

#include <cstddef>
#include <type_traits>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {
namespace primitive_sort {

struct NoValues {
  template <class From>
  void take(std::size_t, const From&, std::size_t) {}
};

template <class Iterator>
struct Values {
  Iterator first;
  template <class From>
  void take(std::size_t to, const Values<From>& from, std::size_t at) {
    first[to] = typename thrust::iterator_traits<From>::value_type(from.first[at]);
  }
};

// Digits of eight bits, from the lowest; a digit that all keys share is left out.
template <class Keys, class Others, class V, class W>
void radix_sort(Keys keys, Others others, V values, W other_values, std::size_t count) {
  using Key = typename thrust::iterator_traits<Keys>::value_type;
  constexpr std::size_t digits = sizeof(Key);
  std::size_t starts[digits][256] = {};
  const auto digit_of = [](const Key& key, std::size_t digit) {
    return static_cast<std::size_t>(::simt::radix_key(key) >> (8 * digit)) & 255;
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Key key = keys[i];
    for (std::size_t digit = 0; digit < digits; ++digit) ++starts[digit][digit_of(key, digit)];
  }
  const auto pass = [&](std::size_t digit, auto from, auto to, auto from_values, auto to_values) {
    for (std::size_t i = 0; i < count; ++i) {
      const Key key = from[i];
      const std::size_t at = starts[digit][digit_of(key, digit)]++;
      to[at] = key;
      to_values.take(at, from_values, i);
    }
  };
  bool moved = false;
  for (std::size_t digit = 0; digit < digits; ++digit) {
    std::size_t sum = 0;
    bool shared = false;
    for (std::size_t& start : starts[digit]) {
      shared = shared || start == count;
      const std::size_t here = start;
      start = sum;
      sum += here;
    }
    if (shared) continue;
    if (moved) {
      pass(digit, others, keys, other_values, values);
    } else {
      pass(digit, keys, others, values, other_values);
    }
    moved = !moved;
  }
  for (std::size_t i = 0; moved && i < count; ++i) {
    keys[i] = Key(others[i]);
    values.take(i, other_values, i);
  }
}

// The bits of a long double are not in its order.
template <class Key>
inline constexpr bool has_order_of_bits = !std::is_same_v<Key, long double>;

}  // namespace primitive_sort

template <class Derived, class Keys>
void stable_primitive_sort(execution_policy<Derived>& exec, Keys first, Keys last) {
  using Key = typename thrust::iterator_traits<Keys>::value_type;
  if constexpr (primitive_sort::has_order_of_bits<Key>) {
    const auto count = static_cast<std::size_t>(last - first);
    thrust::detail::temporary_array<Key, Derived> others(exec, last - first);
    const primitive_sort::NoValues none;
    primitive_sort::radix_sort(first, others.begin(), none, none, count);
  } else {
    sequential::stable_merge_sort(exec, first, last, thrust::less<Key>());
  }
}

template <class Derived, class Keys, class Items>
void stable_primitive_sort_by_key(execution_policy<Derived>& exec, Keys first, Keys last,
                                  Items values) {
  using Key = typename thrust::iterator_traits<Keys>::value_type;
  using Item = typename thrust::iterator_traits<Items>::value_type;
  if constexpr (primitive_sort::has_order_of_bits<Key>) {
    const auto count = static_cast<std::size_t>(last - first);
    thrust::detail::temporary_array<Key, Derived> others(exec, last - first);
    thrust::detail::temporary_array<Item, Derived> items(exec, last - first);
    using Others = decltype(items.begin());
    primitive_sort::radix_sort(first, others.begin(), primitive_sort::Values<Items>{values},
                               primitive_sort::Values<Others>{items.begin()}, count);
  } else {
    sequential::stable_merge_sort_by_key(exec, first, last, values, thrust::less<Key>());
  }
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
