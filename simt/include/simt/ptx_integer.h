#pragma once

// PTX's instructions on integers and bits. The type is the one that the opcode names; flags are in
// ptx_values.h.

#include <simt/math_integer.h>
#include <simt/ptx_values.h>

#include <limits>
#include <type_traits>

namespace simt::ptx {

template <class T>
inline constexpr unsigned width_of = sizeof(T) * 8;

// Twice as wide.
template <class T>
struct WideOf {
  using type = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
};
template <>
struct WideOf<short> {
  using type = int;
};
template <>
struct WideOf<unsigned short> {
  using type = unsigned;
};
template <>
struct WideOf<long long> {
  using type = __int128;
};
template <>
struct WideOf<unsigned long long> {
  using type = unsigned __int128;
};
template <class T>
using Wide = typename WideOf<T>::type;

// Signed sums wrap around.
template <class T>
using Bits = std::make_unsigned_t<T>;

template <class T>
T held(__int128 x) {
  using Limits = std::numeric_limits<T>;
  return x > Limits::max() ? Limits::max() : x < Limits::min() ? Limits::min() : static_cast<T>(x);
}

template <class T, unsigned F>
T add(T a, T b) {
  if constexpr ((F & flag_sat) != 0) return held<T>(static_cast<__int128>(a) + b);
  return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
}
template <class T, unsigned F>
T sub(T a, T b) {
  if constexpr ((F & flag_sat) != 0) return held<T>(static_cast<__int128>(a) - b);
  return static_cast<T>(static_cast<Bits<T>>(a) - static_cast<Bits<T>>(b));
}
template <class T, unsigned F>
Wide<T> mul_wide(T a, T b) {
  return static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b);
}
template <class T, unsigned F>
T mul(T a, T b) {
  return static_cast<T>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
}
template <class T, unsigned F>
T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide<T, F>(a, b) >> width_of<T>);
}
template <class T, unsigned F>
T mad(T a, T b, T c) {
  return add<T, 0>(mul<T, 0>(a, b), c);
}
template <class T, unsigned F>
T mad_hi(T a, T b, T c) {
  return add<T, F>(mul_hi<T, 0>(a, b), c);
}
template <class T, unsigned F>
Wide<T> mad_wide(T a, T b, Wide<T> c) {
  return static_cast<Wide<T>>(static_cast<std::make_unsigned_t<Wide<T>>>(mul_wide<T, 0>(a, b)) +
                              static_cast<std::make_unsigned_t<Wide<T>>>(c));
}

// The product of the lower 24 bits: 48 bits.
template <class T>
long long product24(T a, T b) {
  const auto low = [](T x) {
    return static_cast<long long>(static_cast<T>(static_cast<unsigned>(x) << 8) >> 8);
  };
  return low(a) * low(b);
}
template <class T, unsigned F>
T mul24(T a, T b) {
  return static_cast<T>(product24(a, b));
}
template <class T, unsigned F>
T mul24_hi(T a, T b) {
  return static_cast<T>(product24(a, b) >> 16);
}
template <class T, unsigned F>
T mad24(T a, T b, T c) {
  return add<T, 0>(mul24<T, 0>(a, b), c);
}
template <class T, unsigned F>
T mad24_hi(T a, T b, T c) {
  return add<T, F>(mul24_hi<T, 0>(a, b), c);
}

// A division by zero gives ones in all bits, and so does its remainder.
template <class T, unsigned F>
T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return sub<T, 0>(0, a);
  return static_cast<T>(a / b);
}
template <class T, unsigned F>
T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return static_cast<T>(a % b);
}
template <class T, unsigned F>
T sad(T a, T b, T c) {
  return add<T, 0>(a < b ? sub<T, 0>(b, a) : sub<T, 0>(a, b), c);
}
template <class T, unsigned F>
T neg(T a) {
  return sub<T, 0>(0, a);
}
template <class T, unsigned F>
T abs_of(T a) {
  return a < 0 ? neg<T, 0>(a) : a;
}
template <class T, unsigned F>
T min(T a, T b) {
  const T least = b < a ? b : a;
  return (F & flag_relu) != 0 && least < 0 ? T{0} : least;
}
template <class T, unsigned F>
T max(T a, T b) {
  const T most = a < b ? b : a;
  return (F & flag_relu) != 0 && most < 0 ? T{0} : most;
}
template <class T, unsigned F>
Halves<T> add_halves(Halves<T> a, Halves<T> b) {
  return {add<T, 0>(a.low, b.low), add<T, 0>(a.high, b.high)};
}
template <class T, unsigned F>
Halves<T> min_halves(Halves<T> a, Halves<T> b) {
  return {min<T, F>(a.low, b.low), min<T, F>(a.high, b.high)};
}
template <class T, unsigned F>
Halves<T> max_halves(Halves<T> a, Halves<T> b) {
  return {max<T, F>(a.low, b.low), max<T, F>(a.high, b.high)};
}

// The carry of add.cc and its relatives; that of sub.cc is a borrow. It outlives its asm, as on a
// GPU: sums of many words are often written with one asm for each.
inline thread_local bool carry = false;

template <class T, bool Writes>
T add_carry(T a, T b, bool in) {
  const auto sum = static_cast<unsigned __int128>(static_cast<Bits<T>>(a)) +
                   static_cast<Bits<T>>(b) + (in ? 1 : 0);
  if (Writes) carry = sum >> width_of<T> != 0;
  return static_cast<T>(sum);
}
template <class T, bool Writes>
T sub_carry(T a, T b, bool in) {
  const auto difference = static_cast<unsigned __int128>(static_cast<Bits<T>>(a)) -
                          static_cast<Bits<T>>(b) - (in ? 1 : 0);
  if (Writes) carry = difference >> width_of<T> != 0;
  return static_cast<T>(difference);
}

// Bits.
template <class T, unsigned F>
T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T, unsigned F>
T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T, unsigned F>
T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T, unsigned F>
T bit_not(T a) {
  if constexpr (std::is_same_v<T, bool>) return !a;
  return static_cast<T>(~a);
}
template <class T, unsigned F>
T cnot(T a) {
  return a == 0 ? 1 : 0;
}
// Bit k of the table is the answer where the three bits make the number k.
template <class T, unsigned F>
T lop3(T a, T b, T c, unsigned table) {
  T result = 0;
  for (unsigned k = 0; k < 8; ++k) {
    if (table >> k & 1u) result |= (k & 4u ? a : ~a) & (k & 2u ? b : ~b) & (k & 1u ? c : ~c);
  }
  return result;
}
// Shifts by more than the width give zeros, or signs.
template <class T, unsigned F>
T shl(T a, unsigned by) {
  return by >= width_of<T> ? T{0} : static_cast<T>(static_cast<Bits<T>>(a) << by);
}
template <class T, unsigned F>
T shr(T a, unsigned by) {
  constexpr unsigned last = width_of<T> - 1;
  if (by > last && !std::is_signed_v<T>) return T{0};
  return static_cast<T>(a >> (by > last ? last : by));
}
template <class T, unsigned F>
T shf_l_wrap(T a, T b, unsigned by) {
  return __funnelshift_l(a, b, by);
}
template <class T, unsigned F>
T shf_l_clamp(T a, T b, unsigned by) {
  return __funnelshift_lc(a, b, by);
}
template <class T, unsigned F>
T shf_r_wrap(T a, T b, unsigned by) {
  return __funnelshift_r(a, b, by);
}
template <class T, unsigned F>
T shf_r_clamp(T a, T b, unsigned by) {
  return __funnelshift_rc(a, b, by);
}
template <class T, unsigned F>
unsigned popc(T a) {
  return static_cast<unsigned>(__builtin_popcountll(a));
}
template <class T, unsigned F>
unsigned clz(T a) {
  return a == 0 ? width_of<T> : static_cast<unsigned>(__builtin_clzll(a)) - (64 - width_of<T>);
}
template <class T, unsigned F>
T brev(T a) {
  return static_cast<T>(__brevll(a) >> (64 - width_of<T>));
}
// The highest bit that is set, or that differs from the sign.
template <class T, unsigned F>
unsigned bfind(T a) {
  const auto bits = static_cast<Bits<T>>(a < 0 ? ~a : a);
  return bits == 0 ? ~0u : 63u - static_cast<unsigned>(__builtin_clzll(bits));
}
template <class T, unsigned F>
unsigned bfind_shift(T a) {
  const unsigned bit = bfind<T, 0>(a);
  return bit == ~0u ? bit : width_of<T> - 1 - bit;
}
template <class T, unsigned F>
unsigned fns(T mask, unsigned base, int n) {
  if (n == std::numeric_limits<int>::min()) return 0;  // as on an H200
  return __fns(mask, base, n);
}
// Of a word the lower 8 bits of position and length count, of 64 bits all of them.
template <class T>
constexpr unsigned field_bound(unsigned x) {
  return sizeof(T) == 4 ? x & 255u : x < 255u ? x : 255u;
}
// `length` bits from `position` on.
template <class T, unsigned F>
T bfe(T a, unsigned position, unsigned length) {
  position = field_bound<T>(position);
  length = field_bound<T>(length);
  if (length == 0) return T{0};
  const T shifted = shr<T, 0>(a, position);
  if (position + length >= width_of<T>) return shifted;
  return shr<T, 0>(shl<T, 0>(shifted, width_of<T> - length), width_of<T> - length);
}
template <class T, unsigned F>
T bfi(T field, T into, unsigned position, unsigned length) {
  position = field_bound<T>(position);
  length = field_bound<T>(length);
  if (length == 0 || position >= width_of<T>) return into;
  const T ones =
      length >= width_of<T> ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T mask = static_cast<T>(ones << position);
  return static_cast<T>((into & ~mask) | (field << position & mask));
}
// The lower `length` bits, continued by their sign or by zeros.
template <class T, unsigned F>
T szext_clamp(T a, unsigned length) {
  if (length >= 32) return a;
  return length == 0 ? T{0} : shr<T, 0>(shl<T, 0>(a, 32 - length), 32 - length);
}
template <class T, unsigned F>
T szext_wrap(T a, unsigned length) {
  return szext_clamp<T, 0>(a, length & 31u);
}
// `length` ones from `position` on.
template <class T, unsigned F>
T bmsk_clamp(T position, T length) {
  if (position >= 32) return 0;
  return (length >= 32 ? ~0u : (1u << length) - 1) << position;
}
template <class T, unsigned F>
T bmsk_wrap(T position, T length) {
  return bmsk_clamp<T, 0>(position & 31u, length & 31u);
}
// Each four bits of the selector name a byte of b:a; the highest one asks for its sign instead.
template <class T, unsigned F>
T prmt(T a, T b, T selector) {
  const T bytes = __byte_perm(a, b, selector);
  T result = 0;
  for (unsigned i = 0; i < 32; i += 8) {
    const T byte = bytes >> i & 0xFFu;
    const bool sign = (selector >> (i / 2) & 8u) != 0;
    result |= (sign ? (byte & 0x80u ? 0xFFu : 0u) : byte) << i;
  }
  return result;
}
// The other modes: the selector's last two bits choose one of four patterns.
template <class T, unsigned Patterns0, unsigned Patterns1, unsigned Patterns2, unsigned Patterns3>
T prmt_mode(T a, T b, T selector) {
  constexpr unsigned patterns[] = {Patterns0, Patterns1, Patterns2, Patterns3};
  return __byte_perm(a, b, patterns[selector & 3u]);
}
template <class T, unsigned F>
T prmt_f4e(T a, T b, T c) {
  return prmt_mode<T, 0x3210, 0x4321, 0x5432, 0x6543>(a, b, c);
}
template <class T, unsigned F>
T prmt_b4e(T a, T b, T c) {
  return prmt_mode<T, 0x5670, 0x6701, 0x7012, 0x0123>(a, b, c);
}
template <class T, unsigned F>
T prmt_rc8(T a, T b, T c) {
  return prmt_mode<T, 0x0000, 0x1111, 0x2222, 0x3333>(a, b, c);
}
template <class T, unsigned F>
T prmt_ecl(T a, T b, T c) {
  return prmt_mode<T, 0x3210, 0x3211, 0x3222, 0x3333>(a, b, c);
}
template <class T, unsigned F>
T prmt_ecr(T a, T b, T c) {
  return prmt_mode<T, 0x0000, 0x1110, 0x2210, 0x3210>(a, b, c);
}
template <class T, unsigned F>
T prmt_rc16(T a, T b, T c) {
  return prmt_mode<T, 0x1010, 0x3232, 0x1010, 0x3232>(a, b, c);
}

// Sums of products of bytes with bytes, and of halves of a with bytes of b.
template <class A, class B, int Count, unsigned First>
unsigned dot(unsigned a, unsigned b, unsigned c) {
  constexpr unsigned a_width = 32 / Count;
  const auto part = [](unsigned word, unsigned at, unsigned width, bool is_signed) {
    const unsigned bits = word << (32 - at - width);
    return is_signed ? static_cast<int>(bits) >> (32 - width)
                     : static_cast<int>(bits >> (32 - width));
  };
  for (unsigned i = 0; i < Count; ++i) {
    const int x = part(a, i * a_width, a_width, std::is_signed_v<A>);
    const int y = part(b, (First + i) * 8, 8, std::is_signed_v<B>);
    c += static_cast<unsigned>(x) * static_cast<unsigned>(y);
  }
  return c;
}

// Choices.
template <class T, unsigned F>
T selp(T a, T b, bool c) {
  return c ? a : b;
}
template <class T, unsigned F>
T slct(T a, T b, int c) {
  return c >= 0 ? a : b;
}
template <class T, unsigned F>
T slct_float(T a, T b, float c) {
  return c >= 0 || ((F & flag_ftz) != 0 && c > -std::numeric_limits<float>::min()) ? a : b;
}

}  // namespace simt::ptx
