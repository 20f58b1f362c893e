#pragma once

// CUB's small types.

#include <cub/config.cuh>
#include <cub/util_debug.cuh>
#include <cuda/std/limits>
#if __has_include(<cuda/cmath>)
#include <cuda/cmath>
#endif

#include <cstdint>
#include <iterator>
#include <ostream>
#include <type_traits>

namespace cub {

struct NullType {
  template <class T>
  NullType& operator=(const T&) {
    return *this;
  }
  bool operator==(const NullType&) const { return true; }
  bool operator!=(const NullType&) const { return false; }
};

// What kind of number a type is, and its bits as keys that compare as the numbers do.
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

template <Category Kind, bool Primitive, class Bits, class T>
struct BaseTraits {
  static constexpr Category CATEGORY = Kind;
  static constexpr bool PRIMITIVE = Primitive, NULL_TYPE = ::std::is_same_v<T, NullType>;
  using UnsignedBits = Bits;
  static constexpr Bits HIGH_BIT = static_cast<Bits>(Bits(1) << (sizeof(Bits) * 8 - 1));
  static constexpr Bits LOWEST_KEY = Kind == SIGNED_INTEGER   ? HIGH_BIT
                                     : Kind == FLOATING_POINT ? static_cast<Bits>(-1)
                                                              : Bits(0);
  static constexpr Bits MAX_KEY =
      Kind == UNSIGNED_INTEGER ? static_cast<Bits>(-1) : static_cast<Bits>(~HIGH_BIT);

  static Bits TwiddleIn(Bits key) {
    if (Kind == UNSIGNED_INTEGER) return key;
    const bool negative = Kind == FLOATING_POINT && (key & HIGH_BIT) != 0;
    return key ^ (negative ? static_cast<Bits>(-1) : HIGH_BIT);
  }
  static Bits TwiddleOut(Bits key) {
    if (Kind == UNSIGNED_INTEGER) return key;
    const bool negative = Kind == FLOATING_POINT && (key & HIGH_BIT) == 0;
    return key ^ (negative ? static_cast<Bits>(-1) : HIGH_BIT);
  }
  static T Max() { return ::cuda::std::numeric_limits<T>::max(); }
  static T Lowest() { return ::cuda::std::numeric_limits<T>::lowest(); }
};
template <class T>
struct BaseTraits<NOT_A_NUMBER, false, T, T> {
  static constexpr Category CATEGORY = NOT_A_NUMBER;
  static constexpr bool PRIMITIVE = false, NULL_TYPE = ::std::is_same_v<T, NullType>;
};

namespace detail {
template <class T>
constexpr Category category_of() {
  return ::std::is_floating_point_v<T> ? FLOATING_POINT
         : !::std::is_integral_v<T>    ? NOT_A_NUMBER
         : ::std::is_signed_v<T>       ? SIGNED_INTEGER
                                       : UNSIGNED_INTEGER;
}
template <class T, int Size>
using BitsOf = ::std::conditional_t<
    category_of<T>() == NOT_A_NUMBER, T,
    ::std::conditional_t<
        Size == 1, ::std::uint8_t,
        ::std::conditional_t<Size == 2, ::std::uint16_t,
                             ::std::conditional_t<Size == 4, ::std::uint32_t, ::std::uint64_t>>>>;
}  // namespace detail

template <class T>
struct NumericTraits
    : BaseTraits<detail::category_of<T>(), detail::category_of<T>() != NOT_A_NUMBER,
                 detail::BitsOf<T, sizeof(T)>, T> {};
template <class T>
struct Traits : NumericTraits<::std::remove_cv_t<T>> {};

template <int Value>
struct Int2Type {
  static constexpr int VALUE = Value;
};

template <class Key, class Value>
struct KeyValuePair {
  using Key_ = Key;
  using Value_ = Value;

  Key key;
  Value value;

  KeyValuePair() = default;
  KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  bool operator==(const KeyValuePair& b) const { return key == b.key && value == b.value; }
  bool operator!=(const KeyValuePair& b) const { return !(*this == b); }
};

template <class T>
struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  T& Alias() { return *reinterpret_cast<T*>(storage); }
};

// Two buffers of which one holds the data; sorting may swap their roles.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

// A first value that is known only when the device runs.
template <class T, class Iterator = T*>
struct FutureValue {
  using value_type = T;
  explicit FutureValue(Iterator at) : at_(at) {}
  operator T() { return *at_; }

 private:
  Iterator at_;
};

template <class N, class D>
constexpr auto DivideAndRoundUp(N n, D d) {
  return (n + d - 1) / d;
}
template <int N>
struct PowerOfTwo {
  static constexpr bool VALUE = (N & (N - 1)) == 0;
};
template <int N, int Current = N, int Count = 0>
struct Log2 {
  static constexpr int VALUE = Log2<N, (Current >> 1), Count + 1>::VALUE;
};
template <int N, int Count>
struct Log2<N, 0, Count> {
  static constexpr int VALUE = (1 << (Count - 1) < N) ? Count : Count - 1;
};
template <bool Condition, class Then, class Else>
struct If {
  using Type = std::conditional_t<Condition, Then, Else>;
};
template <class A, class B>
struct Equals {
  static constexpr int VALUE = std::is_same_v<A, B>;
};

namespace detail {

template <class Iterator>
using value_of = std::remove_cv_t<std::remove_reference_t<decltype(*std::declval<Iterator&>())>>;

// The type behind an output: some iterators (discarding ones) have none.
template <class Iterator, class Fallback, class = void>
struct OutputValue {
  using type = Fallback;
};
template <class Iterator, class Fallback>
struct OutputValue<
    Iterator, Fallback,
    std::enable_if_t<!std::is_void_v<typename std::iterator_traits<Iterator>::value_type>>> {
  using type = typename std::iterator_traits<Iterator>::value_type;
};
template <class Iterator, class Fallback>
using output_value = typename OutputValue<Iterator, Fallback>::type;

template <class Op, class A, class B = A>
using result_of = std::decay_t<std::invoke_result_t<Op&, A&, B&>>;

template <class N>
using if_count = std::enable_if_t<std::is_integral_v<N>, cudaError_t>;

}  // namespace detail

}  // namespace cub
