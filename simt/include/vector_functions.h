#pragma once
#define __VECTOR_FUNCTIONS_H__  // CUDA's guard: programs ask by it whether this header is in

// make_float4(x, y, z, w) and its relatives for every vector type.

#include <vector_types.h>
// One access stores a vector of two or four elements; one of three is stored by its elements.
#ifdef __SIMT_XRAY__
#define SIMT_MADE(T, ...) \
  return __builtin_is_constant_evaluated() ? T{__VA_ARGS__} : simt_whole(T{__VA_ARGS__});
#else
#define SIMT_MADE(T, ...) return T{__VA_ARGS__};
#endif

#define SIMT_MAKE_FAMILY(E, T)                                   \
  static inline constexpr T##1 make_##T##1(E x) {                \
    return T##1 {x};                                             \
  }                                                              \
  static inline constexpr T##2 make_##T##2(E x, E y) {           \
    SIMT_MADE(T##2, x, y)                                        \
  }                                                              \
  static inline constexpr T##3 make_##T##3(E x, E y, E z) {      \
    return T##3 {x, y, z};                                       \
  }                                                              \
  static inline constexpr T##4 make_##T##4(E x, E y, E z, E w) { \
    SIMT_MADE(T##4, x, y, z, w)                                  \
  }

#define SIMT_MAKE_WIDE_FAMILY(E, T)                                      \
  SIMT_MAKE_FAMILY(E, T)                                                 \
  static inline constexpr T##4_16a make_##T##4_16a(E x, E y, E z, E w) { \
    SIMT_MADE(T##4_16a, x, y, z, w)                                      \
  }                                                                      \
  static inline constexpr T##4_32a make_##T##4_32a(E x, E y, E z, E w) { \
    SIMT_MADE(T##4_32a, x, y, z, w)                                      \
  }

SIMT_MAKE_FAMILY(signed char, char)
SIMT_MAKE_FAMILY(unsigned char, uchar)
SIMT_MAKE_FAMILY(short, short)
SIMT_MAKE_FAMILY(unsigned short, ushort)
SIMT_MAKE_FAMILY(int, int)
SIMT_MAKE_FAMILY(unsigned int, uint)
SIMT_MAKE_FAMILY(float, float)
SIMT_MAKE_WIDE_FAMILY(long, long)
SIMT_MAKE_WIDE_FAMILY(unsigned long, ulong)
SIMT_MAKE_WIDE_FAMILY(long long, longlong)
SIMT_MAKE_WIDE_FAMILY(unsigned long long, ulonglong)
SIMT_MAKE_WIDE_FAMILY(double, double)

#undef SIMT_MAKE_WIDE_FAMILY
#undef SIMT_MAKE_FAMILY
#undef SIMT_MADE
