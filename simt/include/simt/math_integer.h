#pragma once

// Integer intrinsics.

#include <vector_types.h>

namespace simt {

inline constexpr unsigned reverse_bits(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}

// Byte `index` of a word, as T.
template <class T>
inline constexpr T byte_of(unsigned word, int index) {
  return static_cast<T>(word >> (8 * index));
}
template <class T>
inline constexpr T half_of(unsigned word, int index) {
  return static_cast<T>(word >> (16 * index));
}

// Sign extension of the low 24 bits.
inline constexpr long long low24(int x) {
  return static_cast<int>(static_cast<unsigned>(x) << 8) >> 8;
}

}  // namespace simt

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  return simt::reverse_bits(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(simt::reverse_bits(static_cast<unsigned>(x))) << 32 |
         simt::reverse_bits(static_cast<unsigned>(x >> 32));
}

// Four of the eight bytes of y:x, each picked by the low three bits of a digit of the selector.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= (static_cast<unsigned>(bytes >> (8 * (selector >> (4 * i) & 7))) & 0xFFu) << (8 * i);
  return result;
}

// Position of the n-th set bit, counting from bit `base`: up for n > 0, down for n < 0. For n = 0
// bit `base` itself. All ones when there is none.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return mask >> (base & 31) & 1 ? base : 0xFFFFFFFFu;
  const int step = n > 0 ? 1 : -1;
  int left = n > 0 ? n : -n;
  for (int bit = static_cast<int>(base); bit >= 0 && bit < 32; bit += step)
    if ((mask >> bit & 1) && --left == 0) return static_cast<unsigned>(bit);
  return 0xFFFFFFFFu;
}

// The middle of high:low shifted left or right; the amount wraps at 32, or clamps in the c forms.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32 ? __funnelshift_l(low, high, shift) : low;
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift < 32 ? __funnelshift_r(low, high, shift) : high;
}

inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline int __mul24(int a, int b) {
  return static_cast<int>(simt::low24(a) * simt::low24(b));
}
inline unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xFFFFFFu) * (b & 0xFFFFFFu);
}

inline unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return c + (a > b ? a - b : b - a);
}
inline unsigned __sad(int a, int b, unsigned c) {
  const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  return c + (a > b ? ua - ub : ub - ua);
}

// Averages without overflow: rounded down, or up with the r.
inline int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
inline int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
inline unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
inline unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}

namespace simt {

// Dot products: 4 bytes by 4 bytes, and 2 halves by the low or high 2 bytes. They wrap.
template <class Byte>
inline unsigned dot4(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<unsigned>(int{byte_of<Byte>(a, i)} * int{byte_of<Byte>(b, i)});
  return c;
}
template <class Half, class Byte>
inline unsigned dot2(unsigned a, unsigned b, unsigned c, int first) {
  for (int i = 0; i < 2; ++i)
    c += static_cast<unsigned>(int{half_of<Half>(a, i)} * int{byte_of<Byte>(b, first + i)});
  return c;
}
inline unsigned pack(char4 v) {
  return __builtin_bit_cast(unsigned, v);
}
inline unsigned pack(uchar4 v) {
  return __builtin_bit_cast(unsigned, v);
}
inline unsigned pack(short2 v) {
  return __builtin_bit_cast(unsigned, v);
}
inline unsigned pack(ushort2 v) {
  return __builtin_bit_cast(unsigned, v);
}

}  // namespace simt

inline int __dp4a(int a, int b, int c) {
  return static_cast<int>(simt::dot4<signed char>(
      static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c)));
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  return simt::dot4<unsigned char>(a, b, c);
}
inline int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(static_cast<int>(simt::pack(a)), static_cast<int>(simt::pack(b)), c);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return __dp4a(simt::pack(a), simt::pack(b), c);
}

#define SIMT_DP2A(NAME, FIRST)                                                                 \
  inline int NAME(int a, int b, int c) {                                                       \
    return static_cast<int>(simt::dot2<short, signed char>(                                    \
        static_cast<unsigned>(a), static_cast<unsigned>(b), static_cast<unsigned>(c), FIRST)); \
  }                                                                                            \
  inline unsigned NAME(unsigned a, unsigned b, unsigned c) {                                   \
    return simt::dot2<unsigned short, unsigned char>(a, b, c, FIRST);                          \
  }                                                                                            \
  inline int NAME(short2 a, char4 b, int c) {                                                  \
    return NAME(static_cast<int>(simt::pack(a)), static_cast<int>(simt::pack(b)), c);          \
  }                                                                                            \
  inline unsigned NAME(ushort2 a, uchar4 b, unsigned c) {                                      \
    return NAME(simt::pack(a), simt::pack(b), c);                                              \
  }
SIMT_DP2A(__dp2a_lo, 0)
SIMT_DP2A(__dp2a_hi, 2)
#undef SIMT_DP2A
