#pragma once

// What inline PTX has beyond the operators of C++: conversions that hold a value inside its range,
// sums with a carry, three-way logic.

#include <simt/math_integer.h>
#include <simt/ptx_values.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace simt::ptx {

enum class Round { nearest, zero, down, up };

// cvt: the number; on the way to an integer rounded as asked and held inside the range.
template <class To, Round How, class From>
To convert(From from) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (from != from) return 0;
    const From whole = How == Round::nearest ? std::nearbyint(from)
                       : How == Round::zero  ? std::trunc(from)
                       : How == Round::down  ? std::floor(from)
                                             : std::ceil(from);
    using Limits = std::numeric_limits<To>;
    if (whole >= static_cast<From>(Limits::max())) return Limits::max();
    if (whole <= static_cast<From>(Limits::min())) return Limits::min();
    return static_cast<To>(whole);
  } else {
    return static_cast<To>(from);
  }
}

template <class T, class A, class B, class C>
T mad_hi(const A& a, const B& b, const C& c) {
  return add<T>(mul_hi<T>(a, b), c);
}
template <class T, class A>
T sqrt_of(const A& a) {
  return std::sqrt(as<T>(a));
}
template <class T, class A, class B, class C>
T sad(const A& a, const B& b, const C& c) {
  const T x = as<T>(a), y = as<T>(b);
  return add<T>(x < y ? sub<T>(y, x) : sub<T>(x, y), c);
}
template <class T, class A, class B>
T bfi(const A& field, const B& into, unsigned position, unsigned length) {
  constexpr unsigned width = sizeof(T) * 8;
  position &= 255u;
  length &= 255u;
  if (length == 0 || position >= width) return as<T>(into);
  const T ones = length >= width ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((as<T>(into) & ~mask) | (as<T>(field) << position & mask));
}
template <class T, class A, class B, class C>
T prmt(const A& a, const B& b, const C& selector) {
  return __byte_perm(as<unsigned>(a), as<unsigned>(b), as<unsigned>(selector));
}
// Bit k of the table is the answer where the three bits make the number k.
template <class T, class A, class B, class C>
T lop3(const A& a, const B& b, const C& c, unsigned table) {
  const T x = as<T>(a), y = as<T>(b), z = as<T>(c);
  T result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if (table >> k & 1u) result |= (k & 4u ? x : ~x) & (k & 2u ? y : ~y) & (k & 1u ? z : ~z);
  }
  return result;
}

template <class T, class A, class B>
T add_carry(const A& a, const B& b, bool in, bool& out) {
  using U = std::make_unsigned_t<T>;
  const U first = static_cast<U>(as<T>(a)) + static_cast<U>(as<T>(b)), sum = first + in;
  out = first < static_cast<U>(as<T>(a)) || sum < first;
  return static_cast<T>(sum);
}
// The carry is a borrow here.
template <class T, class A, class B>
T sub_carry(const A& a, const B& b, bool in, bool& out) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(as<T>(a)), y = static_cast<U>(as<T>(b)), first = x - y;
  out = x < y || first < static_cast<U>(in);
  return static_cast<T>(first - in);
}

}  // namespace simt::ptx
