#pragma once

// What inline PTX's arithmetic, conversions, loads and stores become (simt/cc/ptx_block.cpp).

#include <simt/math_integer.h>
#include <simt/math_rounding.h>
#include <simt/shared.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace simt::ptx {

// A register's content as another type: the same bits if one of the two is a floating-point number,
// else the same number.
template <class T, class V>
T as(V v) {
  if constexpr (std::is_pointer_v<V>) {
    return static_cast<T>(reinterpret_cast<std::uintptr_t>(v));
  } else if constexpr (std::is_arithmetic_v<V> &&
                       std::is_floating_point_v<T> == std::is_floating_point_v<V>) {
    return static_cast<T>(v);
  } else if constexpr (sizeof(T) == sizeof(V)) {
    T t;
    std::memcpy(&t, &v, sizeof t);
    return t;
  } else {
    return static_cast<T>(v);
  }
}
// cvt: the number, rounded towards zero and held inside the range where it must be.
template <class T, class V>
T as_number(V v) {
  if constexpr (std::is_integral_v<T> && std::is_floating_point_v<V>) {
    if (!(v == v)) return 0;
    if (v >= static_cast<V>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (v <= static_cast<V>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  }
  return static_cast<T>(v);
}
template <class D, class V>
void assign(D& to, V v) {
  if constexpr (std::is_pointer_v<D>) {
    to = reinterpret_cast<D>(static_cast<std::uintptr_t>(v));
  } else {
    to = as<D>(v);
  }
}
template <class W, class H>
W join(H low, H high) {
  return static_cast<W>(low) | static_cast<W>(high) << 8 * sizeof(H);
}

// Addresses: a number below the size of shared memory is an offset in it.
template <class T, class A>
T* global_address(A base, std::ptrdiff_t offset) {
  return reinterpret_cast<T*>(as<std::uintptr_t>(base) + offset);
}
template <class T, class A>
T* shared_address(A base, std::ptrdiff_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(shared_pointer(as<std::uintptr_t>(base))) +
                              offset);
}
template <class A>
std::uintptr_t to_shared(A address) {
  return shared_offset(reinterpret_cast<const void*>(as<std::uintptr_t>(address)));
}
template <class A>
std::uintptr_t from_shared(A offset) {
  return reinterpret_cast<std::uintptr_t>(shared_pointer(as<std::uintptr_t>(offset)));
}
template <class T>
T read(const volatile T& from) {
  return from;
}

// Integers wrap: the work is done without sign.
template <class T, bool = std::is_integral_v<T>>
struct Wrapping {
  using type = T;
};
template <class T>
struct Wrapping<T, true> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
using Wrap = typename Wrapping<T>::type;
template <class T>
inline constexpr int bits = 8 * sizeof(T);
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
    std::conditional_t<sizeof(T) == 4,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>,
                       std::conditional_t<std::is_signed_v<T>, int, unsigned>>>;

#define SIMT_PTX_WRAPPING(NAME, SIGN)                                                          \
  template <class T, class A, class B>                                                         \
  T op_##NAME(A a, B b) {                                                                      \
    return static_cast<T>(static_cast<Wrap<T>>(as<T>(a)) SIGN static_cast<Wrap<T>>(as<T>(b))); \
  }
SIMT_PTX_WRAPPING(add, +)
SIMT_PTX_WRAPPING(sub, -)
SIMT_PTX_WRAPPING(mul_lo, *)
SIMT_PTX_WRAPPING(and, &)
SIMT_PTX_WRAPPING(or, |)
SIMT_PTX_WRAPPING(xor, ^)
#undef SIMT_PTX_WRAPPING

template <class T, class A, class B>
T op_mul(A a, B b) {
  return as<T>(a) * as<T>(b);
}
template <class T, class A, class B>
T op_mul_hi(A a, B b) {
  return static_cast<T>((Wide<T>(as<T>(a)) * as<T>(b)) >> bits<T>);
}
template <class T, class A, class B>
Wide<T> op_mul_wide(A a, B b) {
  return Wide<T>(as<T>(a)) * as<T>(b);
}
template <class T, class A, class B, class C>
T op_mad_lo(A a, B b, C c) {
  return op_add<T>(op_mul_lo<T>(a, b), c);
}
template <class T, class A, class B, class C>
T op_mad_hi(A a, B b, C c) {
  return op_add<T>(op_mul_hi<T>(a, b), c);
}
template <class T, class A, class B, class C>
Wide<T> op_mad_wide(A a, B b, C c) {
  return op_add<Wide<T>>(op_mul_wide<T>(a, b), c);
}
template <class T, class A, class B, class C>
T op_fma(A a, B b, C c) {
  return std::fma(as<T>(a), as<T>(b), as<T>(c));
}
template <class T, class A>
T op_sqrt(A a) {
  return std::sqrt(as<T>(a));
}
template <class T, class A, class B>
T op_div(A a, B b) {
  return as<T>(a) / as<T>(b);
}
template <class T, class A, class B>
T op_rem(A a, B b) {
  return as<T>(a) % as<T>(b);
}
template <class T, class A, class B>
T op_min(A a, B b) {
  return ::min(as<T>(a), as<T>(b));
}
template <class T, class A, class B>
T op_max(A a, B b) {
  return ::max(as<T>(a), as<T>(b));
}
template <class T, class A>
T op_not(A a) {
  return static_cast<T>(~as<T>(a));
}
template <class T, class A>
T op_neg(A a) {
  if constexpr (std::is_floating_point_v<T>) return -as<T>(a);
  return op_sub<T>(T{0}, a);
}
template <class T, class A>
T op_abs(A a) {
  const T v = as<T>(a);
  return v < T{0} ? op_neg<T>(v) : v;
}
template <class T, class A, class B, class C>
T op_sad(A a, B b, C c) {
  const T x = as<T>(a), y = as<T>(b);
  return op_add<T>(x < y ? op_sub<T>(y, x) : op_sub<T>(x, y), c);
}

// Shifts by the width or more give what is left: nothing, or the sign.
template <class T, class A, class B>
T op_shl(A a, B by) {
  const unsigned n = as<unsigned>(by);
  return n >= bits<T> ? T{0} : static_cast<T>(as<T>(a) << n);
}
template <class T, class A, class B>
T op_shr(A a, B by) {
  const unsigned n = as<unsigned>(by);
  return static_cast<T>(as<T>(a) >> (n >= bits<T> ? bits<T> - 1 : n)) >> (n >= bits<T>);
}

// Bit fields.
template <class T, class A, class B, class C>
T op_bfe(A a, B start, C count) {
  const T v = as<T>(a);
  const unsigned from = as<unsigned>(start) & 255u, n = as<unsigned>(count) & 255u;
  if (n == 0) return 0;
  const unsigned top = std::min<unsigned>(from + n - 1, bits<T> - 1);
  const bool sign = std::is_signed_v<T> && (static_cast<Wrap<T>>(v) >> top & 1u) != 0;
  const Wrap<T> field = from >= bits<T> ? 0 : static_cast<Wrap<T>>(v) >> from;
  if (n >= bits<T>) return static_cast<T>(op_shr<T>(v, from));
  const Wrap<T> mask = (Wrap<T>{1} << n) - 1;
  return static_cast<T>((field & mask) | (sign && from + n <= bits<T> ? ~mask : 0));
}
template <class T, class A, class B, class C, class D>
T op_bfi(A a, B b, C start, D count) {
  const unsigned from = as<unsigned>(start) & 255u, n = as<unsigned>(count) & 255u;
  if (n == 0 || from >= bits<T>) return as<T>(b);
  const T mask = static_cast<T>((n >= bits<T> ? ~T{0} : (T{1} << n) - 1) << from);
  return static_cast<T>((as<T>(b) & ~mask) | (as<T>(a) << from & mask));
}
template <class T, class A>
unsigned op_popc(A a) {
  return static_cast<unsigned>(__builtin_popcountll(static_cast<Wrap<T>>(as<T>(a))));
}
template <class T, class A>
unsigned op_clz(A a) {
  const unsigned long long v = static_cast<Wrap<T>>(as<T>(a));
  return v == 0 ? bits<T> : static_cast<unsigned>(__builtin_clzll(v)) - (64 - bits<T>);
}
template <class T, class A>
unsigned op_bfind(A a) {
  T v = as<T>(a);
  if (v < T{0}) v = static_cast<T>(~v);
  return v == 0 ? ~0u : bits<T> - 1 - op_clz<T>(v);
}
template <class T, class A>
T op_brev(A a) {
  return sizeof(T) == 8 ? static_cast<T>(__brevll(as<T>(a)))
                        : static_cast<T>(__brev(as<unsigned>(a)));
}
template <class T, class A, class B, class C>
T op_prmt(A a, B b, C selector) {
  return __byte_perm(as<unsigned>(a), as<unsigned>(b), as<unsigned>(selector));
}
template <class T, class A, class B, class C>
T op_lop3(A a, B b, C c, unsigned table) {
  const T x = as<T>(a), y = as<T>(b), z = as<T>(c);
  T result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    if (table >> i & 1u) result |= (i & 4u ? x : ~x) & (i & 2u ? y : ~y) & (i & 1u ? z : ~z);
  }
  return result;
}

// Sums with a carry, differences with a borrow.
template <class T>
T add_carry(T a, T b, bool in, bool& out) {
  using U = Wrap<T>;
  const U first = static_cast<U>(a) + static_cast<U>(b), sum = first + in;
  out = first < static_cast<U>(a) || sum < first;
  return static_cast<T>(sum);
}
template <class T>
T sub_carry(T a, T b, bool in, bool& out) {
  using U = Wrap<T>;
  const U first = static_cast<U>(a) - static_cast<U>(b), rest = first - in;
  out = static_cast<U>(a) < static_cast<U>(b) || first < static_cast<U>(in);
  return static_cast<T>(rest);
}

}  // namespace simt::ptx
