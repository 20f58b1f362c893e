#pragma once

// How values go in and out of inline PTX, and its arithmetic for several types. Registers have no
// type in PTX: an instruction reads the bits as its own.

#include <simt/math_integer.h>
#include <simt/matrix_multiply.h>
#include <simt/shared.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace simt::ptx {

template <class T, int N>
struct Array {
  T value[N];
  const T& operator[](int i) const { return value[i]; }
};

// The bits of `from` as a T: the lower ones if T is smaller, zeros above if it is bigger; numbers
// of the same kind keep their value.
template <class T, class From>
T as(const From& from) {
  if constexpr (std::is_integral_v<T> && std::is_integral_v<From>) {
    return static_cast<T>(from);
  } else if constexpr (std::is_same_v<T, From>) {
    return from;
  } else if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<From>) {
    return static_cast<T>(from);
  } else {
    T to{};
    std::memcpy(static_cast<void*>(&to), static_cast<const void*>(&from),
                sizeof(T) < sizeof(From) ? sizeof(T) : sizeof(From));
    return to;
  }
}
template <class To, class From>
void put(To& to, const From& from) {
  if constexpr (std::is_pointer_v<To>) {
    to = reinterpret_cast<To>(from);
  } else {
    to = as<To>(from);
  }
}

// Takes a result that nobody wants.
inline unsigned long long& nowhere() {
  static thread_local unsigned long long place;
  return place;
}

inline float float_of(unsigned bits) {
  return as<float>(bits);
}

template <class To, class T, int N>
To pack(const Array<T, N>& parts) {
  To to;
  static_assert(sizeof to == sizeof parts.value);
  std::memcpy(&to, parts.value, sizeof to);
  return to;
}
template <int N, class From, class Value>
auto unpack(const Value& value) {
  using Part = std::conditional_t<sizeof(From) / N == 2, unsigned short, unsigned>;
  const From from = as<From>(value);
  Array<Part, N> parts;
  std::memcpy(parts.value, &from, sizeof parts.value);
  return parts;
}

#define SIMT_PTX_1(NAME, EXPRESSION) \
  template <class T, class A>        \
  auto NAME(const A& first) {        \
    const T a = as<T>(first);        \
    return EXPRESSION;               \
  }
#define SIMT_PTX_2(NAME, EXPRESSION)             \
  template <class T, class A, class B>           \
  auto NAME(const A& first, const B& second) {   \
    const T a = as<T>(first), b = as<T>(second); \
    return EXPRESSION;                           \
  }
#define SIMT_PTX_3(NAME, C_TYPE, EXPRESSION)                   \
  template <class T, class A, class B, class C>                \
  auto NAME(const A& first, const B& second, const C& third) { \
    const T a = as<T>(first), b = as<T>(second);               \
    const auto c = as<C_TYPE>(third);                          \
    return EXPRESSION;                                         \
  }

// Twice as wide.
template <class T>
using Wide =
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>,
                       std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>>;
// Signed sums wrap around.
template <class T>
T wrapped(Wide<T> x) {
  return static_cast<T>(x);
}
template <class T, class F>
T arithmetic(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(a), static_cast<U>(b)));
  } else {
    return f(a, b);
  }
}

SIMT_PTX_2(add, arithmetic(a, b, [](auto x, auto y) { return x + y; }))
SIMT_PTX_2(sub, arithmetic(a, b, [](auto x, auto y) { return x - y; }))
SIMT_PTX_2(mul, arithmetic(a, b, [](auto x, auto y) { return x * y; }))
SIMT_PTX_2(mul_wide, static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b))
SIMT_PTX_2(mul_hi,
           static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b) >> sizeof(T) * 8))
SIMT_PTX_3(mad, T, add<T>(mul<T>(a, b), c))
SIMT_PTX_3(mad_wide, Wide<T>, mul_wide<T>(a, b) + c)
SIMT_PTX_3(mad_fused, T, std::fma(a, b, c))
SIMT_PTX_2(div_of, static_cast<T>(a / b))
SIMT_PTX_2(rem_of, static_cast<T>(a % b))
SIMT_PTX_2(bit_and, static_cast<T>(a& b))
SIMT_PTX_2(bit_or, static_cast<T>(a | b))
SIMT_PTX_2(bit_xor, static_cast<T>(a ^ b))
SIMT_PTX_1(bit_not, static_cast<T>(~a))
SIMT_PTX_2(min_of, b < a ? b : a)
SIMT_PTX_2(max_of, a < b ? b : a)
SIMT_PTX_1(abs_of, a < 0 ? static_cast<T>(-a) : a)
SIMT_PTX_1(neg_of, static_cast<T>(-a))
SIMT_PTX_3(selp, bool, c ? a : b)

// Shifts by more than the width give zeros, or signs.
template <class T, class A>
T shl(const A& value, unsigned by) {
  return by >= sizeof(T) * 8 ? T{} : static_cast<T>(as<T>(value) << by);
}
template <class T, class A>
T shr(const A& value, unsigned by) {
  constexpr unsigned last = sizeof(T) * 8 - 1;
  if (by > last && !std::is_signed_v<T>) return T{};
  return static_cast<T>(as<T>(value) >> (by > last ? last : by));
}

SIMT_PTX_1(popc,
           static_cast<unsigned>(__builtin_popcountll(static_cast<std::make_unsigned_t<T>>(a))))
SIMT_PTX_1(clz, a == 0 ? static_cast<unsigned>(sizeof(T) * 8)
                       : static_cast<unsigned>(__builtin_clzll(a)) -
                             static_cast<unsigned>(64 - sizeof(T) * 8))
SIMT_PTX_1(brev, sizeof(T) == 4 ? static_cast<T>(__brev(static_cast<unsigned>(a)))
                                : static_cast<T>(__brevll(a)))

// The highest bit that is set, or that differs from the sign.
template <class T, class A>
unsigned bfind(const A& value) {
  const T signed_bits = as<T>(value);
  const auto bits =
      static_cast<std::make_unsigned_t<T>>(signed_bits < 0 ? ~signed_bits : signed_bits);
  return bits == 0 ? ~0u : 63u - static_cast<unsigned>(__builtin_clzll(bits));
}
// `length` bits from `position` on.
template <class T, class A>
T bfe(const A& value, unsigned position, unsigned length) {
  constexpr unsigned width = sizeof(T) * 8;
  position &= 255u;
  length &= 255u;
  if (length == 0) return T{};
  const T shifted = shr<T>(value, position);
  if (position + length >= width) return shifted;
  return shr<T>(shl<T>(shifted, width - length), width - length);
}

#undef SIMT_PTX_1
#undef SIMT_PTX_2
#undef SIMT_PTX_3

// Memory.
inline void* global_at(unsigned long long address) {
  return reinterpret_cast<void*>(address);
}
inline void* shared_at(unsigned long long address) {
  return shared_pointer(static_cast<std::size_t>(address));
}
inline unsigned long long to_shared(unsigned long long generic) {
  return shared_offset(reinterpret_cast<const void*>(generic));
}
inline unsigned long long from_shared(unsigned long long address) {
  return reinterpret_cast<unsigned long long>(shared_pointer(address));
}
template <class T, int N>
Array<T, N> load(const void* at) {
  Array<T, N> out;
  for (int i = 0; i < N; ++i) out.value[i] = static_cast<const T*>(at)[i];
  return out;
}
template <class T, int N>
void store(void* at, const Array<T, N>& values) {
  for (int i = 0; i < N; ++i) static_cast<T*>(at)[i] = values[i];
}

}  // namespace simt::ptx
