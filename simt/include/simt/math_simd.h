#pragma once

// SIMD within a word: two halves or four bytes at once (__vadd2, __vcmpgtu4, …), and the three-way
// and fused min/max of sm_90.

#include <type_traits>

namespace simt {

// Applies f to each lane, sign-extended or not as Lane says, in int; the low bits come back.
template <class Lane, class F>
inline unsigned lanewise(unsigned a, unsigned b, F f) {
  constexpr unsigned bits = 8 * sizeof(Lane);
  constexpr unsigned mask = (1u << bits) - 1;
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += bits) {
    const int x = static_cast<Lane>(a >> shift), y = static_cast<Lane>(b >> shift);
    result |= (static_cast<unsigned>(f(x, y)) & mask) << shift;
  }
  return result;
}

template <class Lane>
inline int clamp_to(int x) {
  constexpr bool is_signed = std::is_signed_v<Lane>;
  constexpr int bits = 8 * sizeof(Lane);
  constexpr int high = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  constexpr int low = is_signed ? -(1 << (bits - 1)) : 0;
  return x < low ? low : (x > high ? high : x);
}

template <class Lane>
inline unsigned sum_of_differences(unsigned a, unsigned b) {
  constexpr unsigned bits = 8 * sizeof(Lane);
  unsigned sum = 0;
  for (unsigned shift = 0; shift < 32; shift += bits) {
    const int x = static_cast<Lane>(a >> shift), y = static_cast<Lane>(b >> shift);
    sum += static_cast<unsigned>(x > y ? x - y : y - x);
  }
  return sum;
}

}  // namespace simt

// S and U are the signed and unsigned lane of an N-lane word.
#define SIMT_SIMD_1(NAME, LANE, EXPRESSION)                                   \
  inline unsigned NAME(unsigned a) {                                          \
    using Lane [[maybe_unused]] = LANE;                                       \
    return simt::lanewise<LANE>(a, 0, [](int x, int) { return EXPRESSION; }); \
  }
#define SIMT_SIMD_2(NAME, LANE, EXPRESSION)                                     \
  inline unsigned NAME(unsigned a, unsigned b) {                                \
    using Lane [[maybe_unused]] = LANE;                                         \
    return simt::lanewise<LANE>(a, b, [](int x, int y) { return EXPRESSION; }); \
  }
// vcmp gives all ones where true, vset gives one.
#define SIMT_SIMD_COMPARE(NAME, N, LANE, OP)    \
  SIMT_SIMD_2(__vcmp##NAME##N, LANE, -(x OP y)) \
  SIMT_SIMD_2(__vset##NAME##N, LANE, x OP y)
#define SIMT_SIMD_FAMILY(N, S, U)                                   \
  SIMT_SIMD_1(__vabs##N, S, x < 0 ? -x : x)                         \
  SIMT_SIMD_1(__vabsss##N, S, simt::clamp_to<Lane>(x < 0 ? -x : x)) \
  SIMT_SIMD_1(__vneg##N, S, -x)                                     \
  SIMT_SIMD_1(__vnegss##N, S, simt::clamp_to<Lane>(-x))             \
  SIMT_SIMD_2(__vadd##N, U, x + y)                                  \
  SIMT_SIMD_2(__vaddss##N, S, simt::clamp_to<Lane>(x + y))          \
  SIMT_SIMD_2(__vaddus##N, U, simt::clamp_to<Lane>(x + y))          \
  SIMT_SIMD_2(__vsub##N, U, x - y)                                  \
  SIMT_SIMD_2(__vsubss##N, S, simt::clamp_to<Lane>(x - y))          \
  SIMT_SIMD_2(__vsubus##N, U, simt::clamp_to<Lane>(x - y))          \
  SIMT_SIMD_2(__vavgs##N, S, (x + y + (x + y >= 0)) >> 1)           \
  SIMT_SIMD_2(__vavgu##N, U, (x + y + 1) >> 1)                      \
  SIMT_SIMD_2(__vhaddu##N, U, (x + y) >> 1)                         \
  SIMT_SIMD_2(__vabsdiffs##N, S, x > y ? x - y : y - x)             \
  SIMT_SIMD_2(__vabsdiffu##N, U, x > y ? x - y : y - x)             \
  SIMT_SIMD_2(__vmaxs##N, S, x > y ? x : y)                         \
  SIMT_SIMD_2(__vmaxu##N, U, x > y ? x : y)                         \
  SIMT_SIMD_2(__vmins##N, S, x < y ? x : y)                         \
  SIMT_SIMD_2(__vminu##N, U, x < y ? x : y)                         \
  SIMT_SIMD_COMPARE(eq, N, U, ==)                                   \
  SIMT_SIMD_COMPARE(ne, N, U, !=)                                   \
  SIMT_SIMD_COMPARE(ges, N, S, >=)                                  \
  SIMT_SIMD_COMPARE(geu, N, U, >=)                                  \
  SIMT_SIMD_COMPARE(gts, N, S, >)                                   \
  SIMT_SIMD_COMPARE(gtu, N, U, >)                                   \
  SIMT_SIMD_COMPARE(les, N, S, <=)                                  \
  SIMT_SIMD_COMPARE(leu, N, U, <=)                                  \
  SIMT_SIMD_COMPARE(lts, N, S, <)                                   \
  SIMT_SIMD_COMPARE(ltu, N, U, <)                                   \
  inline unsigned __vsads##N(unsigned a, unsigned b) {              \
    return simt::sum_of_differences<S>(a, b);                       \
  }                                                                 \
  inline unsigned __vsadu##N(unsigned a, unsigned b) {              \
    return simt::sum_of_differences<U>(a, b);                       \
  }

SIMT_SIMD_FAMILY(2, short, unsigned short)
SIMT_SIMD_FAMILY(4, signed char, unsigned char)

#undef SIMT_SIMD_FAMILY
#undef SIMT_SIMD_COMPARE

// --- sm_90: max(a, b, c), max(a + b, c), and both with a floor of 0 (relu); packed and plain. The
// sum wraps.

#define SIMT_DPX_PACKED(KIND, LANE, NAME, OP)                                                   \
  inline unsigned __vi##NAME##3_##KIND(unsigned a, unsigned b, unsigned c) {                    \
    const auto pick = [](int x, int y) { return x OP y ? x : y; };                              \
    return simt::lanewise<LANE>(simt::lanewise<LANE>(a, b, pick), c, pick);                     \
  }                                                                                             \
  inline unsigned __viadd##NAME##_##KIND(unsigned a, unsigned b, unsigned c) {                  \
    return simt::lanewise<LANE>(__vadd2(a, b), c, [](int x, int y) { return x OP y ? x : y; }); \
  }                                                                                             \
  inline unsigned __vib##NAME##_##KIND(unsigned a, unsigned b, bool* high, bool* low) {         \
    *high = static_cast<LANE>(a >> 16) OP## = static_cast<LANE>(b >> 16);                       \
    *low = static_cast<LANE>(a) OP## = static_cast<LANE>(b);                                    \
    return simt::lanewise<LANE>(a, b, [](int x, int y) { return x OP y ? x : y; });             \
  }
#define SIMT_DPX_PACKED_RELU(NAME)                                                 \
  inline unsigned __vi##NAME##3_s16x2_relu(unsigned a, unsigned b, unsigned c) {   \
    return __vmaxs2(__vi##NAME##3_s16x2(a, b, c), 0);                              \
  }                                                                                \
  inline unsigned __viadd##NAME##_s16x2_relu(unsigned a, unsigned b, unsigned c) { \
    return __vmaxs2(__viadd##NAME##_s16x2(a, b, c), 0);                            \
  }                                                                                \
  inline unsigned __vi##NAME##_s16x2_relu(unsigned a, unsigned b) {                \
    return __vmaxs2(__v##NAME##s2(a, b), 0);                                       \
  }
#define SIMT_DPX_PLAIN(KIND, T, NAME, OP)                                              \
  inline T __vi##NAME##3_##KIND(T a, T b, T c) {                                       \
    const T first = a OP b ? a : b;                                                    \
    return first OP c ? first : c;                                                     \
  }                                                                                    \
  inline T __viadd##NAME##_##KIND(T a, T b, T c) {                                     \
    const T sum = static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b)); \
    return sum OP c ? sum : c;                                                         \
  }                                                                                    \
  inline T __vib##NAME##_##KIND(T a, T b, bool* first) {                               \
    *first = a OP## = b;                                                               \
    return a OP b ? a : b;                                                             \
  }
#define SIMT_DPX_PLAIN_RELU(NAME, OP)                        \
  inline int __vi##NAME##3_s32_relu(int a, int b, int c) {   \
    const int result = __vi##NAME##3_s32(a, b, c);           \
    return result > 0 ? result : 0;                          \
  }                                                          \
  inline int __viadd##NAME##_s32_relu(int a, int b, int c) { \
    const int result = __viadd##NAME##_s32(a, b, c);         \
    return result > 0 ? result : 0;                          \
  }                                                          \
  inline int __vi##NAME##_s32_relu(int a, int b) {           \
    const int result = a OP b ? a : b;                       \
    return result > 0 ? result : 0;                          \
  }
#define SIMT_DPX(NAME, OP)                         \
  SIMT_DPX_PACKED(s16x2, short, NAME, OP)          \
  SIMT_DPX_PACKED(u16x2, unsigned short, NAME, OP) \
  SIMT_DPX_PACKED_RELU(NAME)                       \
  SIMT_DPX_PLAIN(s32, int, NAME, OP)               \
  SIMT_DPX_PLAIN(u32, unsigned, NAME, OP)          \
  SIMT_DPX_PLAIN_RELU(NAME, OP)

SIMT_DPX(max, >)
SIMT_DPX(min, <)

#undef SIMT_DPX
#undef SIMT_DPX_PLAIN_RELU
#undef SIMT_DPX_PLAIN
#undef SIMT_DPX_PACKED_RELU
#undef SIMT_DPX_PACKED
#undef SIMT_SIMD_2
#undef SIMT_SIMD_1
