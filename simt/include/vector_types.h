#pragma once
#define __VECTOR_TYPES_H__  // CUDA's guard: programs ask by it whether this header is in

// CUDA's vector types: plain aggregates with CUDA's sizes and alignments.
//
// Both g++ and clang++ split a by-value load of such a struct into one load a member. A tool that
// counts memory accesses and wants to see the one 16-byte load the GPU makes would give float4,
// int4, uint4, double2, … a copy constructor here that copies through one 16-byte builtin vector.
// They stay trivial as long as nothing needs that: trivial types may sit in unions and registers.

#include <cstddef>

#include <simt/host_defines.h>

// v = {a, b, c, d}: the list's members would be stored one by one, where a GPU stores the vector. Its type stays trivial.
#ifdef __SIMT_XRAY__
#include <simt/xray.h>

#include <initializer_list>
#define SIMT_FROM_LIST(E, T, ...)                                       \
  [[gnu::always_inline]] T& operator=(std::initializer_list<E> list) {  \
    const auto at = [&](std::size_t i) __attribute__((always_inline)) { \
      return i < list.size() ? list.begin()[i] : static_cast<E>(0);     \
    };                                                                  \
    return *this = simt_whole(T{__VA_ARGS__});                          \
  }
#else
#define SIMT_FROM_LIST(E, T, ...)
#endif

// One family: T1..T4 of element E. The alignments are CUDA's: 2- and 4-vectors are aligned to their
// size up to 16 bytes, 1- and 3-vectors to their element.
#define SIMT_VECTOR_FAMILY(E, T)                              \
  struct T##1 {                                               \
    E x;                                                      \
  };                                                          \
  struct __align__(2 * sizeof(E)) T##2 {                      \
    E x, y;                                                   \
    SIMT_FROM_LIST(E, T##2, at(0), at(1))                     \
  };                                                          \
  struct T##3 {                                               \
    E x, y, z;                                                \
  };                                                          \
  struct __align__(sizeof(E) < 4 ? 4 * sizeof(E) : 16) T##4 { \
    E x, y, z, w;                                             \
    SIMT_FROM_LIST(E, T##4, at(0), at(1), at(2), at(3))       \
  };

// 4-vectors of 8-byte elements: CUDA 13 names the alignment. The plain name is aligned to 16 bytes.
#define SIMT_WIDE_VECTOR_FAMILY(E, T) \
  SIMT_VECTOR_FAMILY(E, T)            \
  struct __align__(16) T##4_16a {     \
    E x, y, z, w;                     \
  };                                  \
  struct __align__(32) T##4_32a {     \
    E x, y, z, w;                     \
  };

SIMT_VECTOR_FAMILY(signed char, char)
SIMT_VECTOR_FAMILY(unsigned char, uchar)
SIMT_VECTOR_FAMILY(short, short)
SIMT_VECTOR_FAMILY(unsigned short, ushort)
SIMT_VECTOR_FAMILY(int, int)
SIMT_VECTOR_FAMILY(unsigned int, uint)
SIMT_VECTOR_FAMILY(float, float)
SIMT_WIDE_VECTOR_FAMILY(long, long)
SIMT_WIDE_VECTOR_FAMILY(unsigned long, ulong)
SIMT_WIDE_VECTOR_FAMILY(long long, longlong)
SIMT_WIDE_VECTOR_FAMILY(unsigned long long, ulonglong)
SIMT_WIDE_VECTOR_FAMILY(double, double)

#undef SIMT_WIDE_VECTOR_FAMILY
#undef SIMT_VECTOR_FAMILY
#undef SIMT_FROM_LIST

// Sizes of grids and blocks; unnamed dimensions are 1.
struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

static_assert(sizeof(char3) == 3 && alignof(char3) == 1);
static_assert(sizeof(char4) == 4 && alignof(char4) == 4);
static_assert(sizeof(short3) == 6 && alignof(short3) == 2);
static_assert(sizeof(ushort4) == 8 && alignof(ushort4) == 8);
static_assert(sizeof(int2) == 8 && alignof(int2) == 8);
static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
static_assert(sizeof(long2) == 16 && alignof(long2) == 16);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16);
static_assert(sizeof(double3) == 24 && alignof(double3) == 8);
static_assert(sizeof(double4) == 32 && alignof(double4) == 16);
static_assert(sizeof(double4_16a) == 32 && alignof(double4_16a) == 16);
static_assert(sizeof(double4_32a) == 32 && alignof(double4_32a) == 32);
static_assert(sizeof(dim3) == 12 && alignof(dim3) == 4);
