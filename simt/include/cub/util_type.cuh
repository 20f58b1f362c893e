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

namespace detail {
// The largest and the lowest value of a type, for the first value of a minimum or maximum. The standard
// library knows nothing of the small floats: its limits of them would be zeros.
template <class T>
struct Limits {
  using Of = std::conditional_t<!::cuda::std::numeric_limits<T>::is_specialized,
                                std::numeric_limits<T>, ::cuda::std::numeric_limits<T>>;
  static T max() { return Of::max(); }
  static T lowest() { return Of::lowest(); }
};
#define SIMT_CUB_LIMITS(TYPE, LARGEST)                \
  template <>                                         \
  struct Limits<TYPE> {                               \
    static TYPE max() { return TYPE(LARGEST); }       \
    static TYPE lowest() { return TYPE(-(LARGEST)); } \
  }
SIMT_CUB_LIMITS(__half, 65504.0f);
SIMT_CUB_LIMITS(__nv_bfloat16, 0x1.fep127f);
SIMT_CUB_LIMITS(__nv_fp8_e4m3, 448.0f);
SIMT_CUB_LIMITS(__nv_fp8_e5m2, 57344.0f);
#undef SIMT_CUB_LIMITS
}  // namespace detail

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
  static T Max() { return detail::Limits<T>::max(); }
  static T Lowest() { return detail::Limits<T>::lowest(); }
};
template <class T>
struct BaseTraits<NOT_A_NUMBER, false, T, T> {
  static constexpr Category CATEGORY = NOT_A_NUMBER;
  static constexpr bool PRIMITIVE = false, NULL_TYPE = ::std::is_same_v<T, NullType>;
};

namespace detail {
template <class T, class... Types>
constexpr bool one_of = (::std::is_same_v<T, Types> || ...);
template <class T>
constexpr bool is_small_float = one_of<T, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2>;

template <class T>
constexpr Category category_of() {
  return ::std::is_floating_point_v<T> || is_small_float<T> ? FLOATING_POINT
         : one_of<T, __int128>                              ? SIGNED_INTEGER
         : one_of<T, unsigned __int128>                     ? UNSIGNED_INTEGER
         : !::std::is_integral_v<T>                         ? NOT_A_NUMBER
         : ::std::is_signed_v<T>                            ? SIGNED_INTEGER
                                                            : UNSIGNED_INTEGER;
}
template <int Size>
struct BitsOfSize;
template <>
struct BitsOfSize<1> {
  using type = ::std::uint8_t;
};
template <>
struct BitsOfSize<2> {
  using type = ::std::uint16_t;
};
template <>
struct BitsOfSize<4> {
  using type = ::std::uint32_t;
};
template <>
struct BitsOfSize<8> {
  using type = ::std::uint64_t;
};
template <>
struct BitsOfSize<16> {
  using type = unsigned __int128;
};
template <class T>
struct NoBits {
  using type = T;
};
template <class T>
using BitsOf = typename ::std::conditional_t<category_of<T>() == NOT_A_NUMBER, NoBits<T>,
                                             BitsOfSize<sizeof(T)>>::type;
}  // namespace detail

template <class T>
struct NumericTraits : BaseTraits<detail::category_of<T>(),
                                  detail::category_of<T>() != NOT_A_NUMBER, detail::BitsOf<T>, T> {
};
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

// What an iterator stands on. One whose reference is a proxy, as thrust's of device memory, says so
// in its traits; one without traits says it by what it gives.
template <class Iterator, class = void>
struct ValueOf {
  using type = std::remove_reference_t<decltype(*std::declval<Iterator&>())>;
};
template <class Iterator>
struct ValueOf<
    Iterator,
    std::enable_if_t<!std::is_void_v<typename std::iterator_traits<Iterator>::value_type>>> {
  using type = typename std::iterator_traits<Iterator>::value_type;
};
template <class Iterator>
using value_of = std::remove_cv_t<typename ValueOf<Iterator>::type>;

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
