#pragma once

// CUDA's atomic functions. They are relaxed, as on a GPU; the `_block` and `_system` forms differ
// only in how far the effect reaches, which is the same on a CPU. Each one calls spin_hint, so a
// thread that spins on an atomic lets the others go on.

#include <simt/aligned.h>
#include <simt/self.h>
#include <vector_types.h>
#ifdef __SIMT_XRAY__
#include <simt/xray.h>
#endif

#include <cstring>
#include <type_traits>

#if defined(__SIMT_CHECK__) && !defined(__SIMT_XRAY__)
extern "C" void simt_check_misaligned(const void* at, std::size_t bytes, bool write);
#endif

namespace simt {

template <unsigned Size>
struct AtomicBits;
template <>
struct AtomicBits<1> {
  using type = unsigned char;
};
template <>
struct AtomicBits<2> {
  using type = unsigned short;
};
template <>
struct AtomicBits<4> {
  using type = unsigned;
};
template <>
struct AtomicBits<8> {
  using type = unsigned long long;
};

// Counted at the line of the program that calls it.
#ifdef __SIMT_XRAY__
#define SIMT_ATOMIC_INLINE [[gnu::always_inline]] inline
#else
#define SIMT_ATOMIC_INLINE inline
#endif

// An atomic function's operand lies at a multiple of its size.
template <class T>
[[gnu::always_inline]] inline void require_multiple_of_size(const T* address) {
#if defined(__SIMT_CHECK__) && !defined(__SIMT_XRAY__)
  if (reinterpret_cast<std::size_t>(address) % sizeof(T) != 0)
    ::simt_check_misaligned(address, sizeof(T), true);
#else
  require_alignment(reinterpret_cast<const typename AtomicBits<sizeof(T)>::type*>(address));
#endif
}

// Reads, changes and writes back in one step: change(old) gives the new value, the old one is
// returned. T is any trivially copyable type of 1, 2, 4 or 8 bytes.
template <class T, class F>
SIMT_ATOMIC_INLINE T atomic_rmw(T* address, F change) {
  static_assert(std::is_trivially_copyable_v<T>);
  using Bits = typename AtomicBits<sizeof(T)>::type;
  spin_hint();
  require_multiple_of_size(address);
  Bits* const bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old;
    std::memcpy(static_cast<void*>(&old), &seen, sizeof old);
    const T wanted = change(old);
    Bits next;
    std::memcpy(&next, static_cast<const void*>(&wanted), sizeof next);
    if (__atomic_compare_exchange_n(bits, &seen, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      return old;
    }
  }
}

template <class T>
SIMT_ATOMIC_INLINE T atomic_exchange(T* address, T value) {
  using Bits = typename AtomicBits<sizeof(T)>::type;
  spin_hint();
  require_multiple_of_size(address);
  Bits next;
  std::memcpy(&next, &value, sizeof next);
  const Bits old = __atomic_exchange_n(reinterpret_cast<Bits*>(address), next, __ATOMIC_RELAXED);
  std::memcpy(&value, &old, sizeof old);
  return value;
}

// Acquires: programs build locks from it with a bare __threadfence.
template <class T>
SIMT_ATOMIC_INLINE T atomic_cas(T* address, T expected, T value) {
  spin_hint();
  require_multiple_of_size(address);
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  return expected;
}

bool is_shared(const void* pointer);

// PTX: in global memory atom.add.f32 takes subnormal numbers for zero and makes none; in shared
// memory it does not.
inline float atomic_sum(const float* address, float old, float value) {
  const auto flushed = [](float x) {
    return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
  };
  const float sum = old + value, quick = flushed(flushed(old) + flushed(value));
  if (sum != sum) return __builtin_bit_cast(float, 0x7fffffffu);
  return sum == quick || is_shared(address) ? sum : quick;
}

// A NaN stays as it is.
inline double atomic_sum(const double*, double old, double value) {
  return value != value ? value : old != old ? old : old + value;
}

}  // namespace simt

// One function in its three scopes.
#define SIMT_ATOMIC_SCOPE(NAME, T, ...)            \
  SIMT_ATOMIC_INLINE T NAME(T* address, T value) { \
    __VA_ARGS__                                    \
  }
#define SIMT_ATOMIC(NAME, T, ...)                 \
  SIMT_ATOMIC_SCOPE(NAME, T, __VA_ARGS__)         \
  SIMT_ATOMIC_SCOPE(NAME##_block, T, __VA_ARGS__) \
  SIMT_ATOMIC_SCOPE(NAME##_system, T, __VA_ARGS__)
#define SIMT_ATOMIC_FETCH(NAME, T, BUILTIN)                                        \
  SIMT_ATOMIC(NAME, T, simt::spin_hint(); simt::require_multiple_of_size(address); \
              return BUILTIN(address, value, __ATOMIC_RELAXED);)
#define SIMT_ATOMIC_RMW(NAME, T, EXPRESSION) \
  SIMT_ATOMIC(NAME, T, return simt::atomic_rmw(address, [=](T old) -> T { return EXPRESSION; });)

using simt_ull = unsigned long long;

SIMT_ATOMIC_FETCH(atomicAdd, int, __atomic_fetch_add)
SIMT_ATOMIC_FETCH(atomicAdd, unsigned, __atomic_fetch_add)
SIMT_ATOMIC_FETCH(atomicAdd, simt_ull, __atomic_fetch_add)
SIMT_ATOMIC_RMW(atomicAdd, float, simt::atomic_sum(address, old, value))
SIMT_ATOMIC_RMW(atomicAdd, double, simt::atomic_sum(address, old, value))
SIMT_ATOMIC_FETCH(atomicSub, int, __atomic_fetch_sub)
SIMT_ATOMIC_FETCH(atomicSub, unsigned, __atomic_fetch_sub)

#define SIMT_ATOMIC_EXCHANGE(T) \
  SIMT_ATOMIC(atomicExch, T, return simt::atomic_exchange(address, value);)
SIMT_ATOMIC_EXCHANGE(int)
SIMT_ATOMIC_EXCHANGE(unsigned)
SIMT_ATOMIC_EXCHANGE(simt_ull)
SIMT_ATOMIC_EXCHANGE(float)
#undef SIMT_ATOMIC_EXCHANGE

SIMT_ATOMIC_RMW(atomicMin, int, old < value ? old : value)
SIMT_ATOMIC_RMW(atomicMin, unsigned, old < value ? old : value)
SIMT_ATOMIC_RMW(atomicMin, long long, old < value ? old : value)
SIMT_ATOMIC_RMW(atomicMin, simt_ull, old < value ? old : value)
SIMT_ATOMIC_RMW(atomicMax, int, old > value ? old : value)
SIMT_ATOMIC_RMW(atomicMax, unsigned, old > value ? old : value)
SIMT_ATOMIC_RMW(atomicMax, long long, old > value ? old : value)
SIMT_ATOMIC_RMW(atomicMax, simt_ull, old > value ? old : value)
SIMT_ATOMIC_RMW(atomicInc, unsigned, old >= value ? 0 : old + 1)
SIMT_ATOMIC_RMW(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

#define SIMT_ATOMIC_BITWISE(T)                        \
  SIMT_ATOMIC_FETCH(atomicAnd, T, __atomic_fetch_and) \
  SIMT_ATOMIC_FETCH(atomicOr, T, __atomic_fetch_or)   \
  SIMT_ATOMIC_FETCH(atomicXor, T, __atomic_fetch_xor)
SIMT_ATOMIC_BITWISE(int)
SIMT_ATOMIC_BITWISE(unsigned)
SIMT_ATOMIC_BITWISE(simt_ull)
#undef SIMT_ATOMIC_BITWISE

#define SIMT_ATOMIC_CAS_SCOPE(NAME, T)                         \
  SIMT_ATOMIC_INLINE T NAME(T* address, T expected, T value) { \
    return simt::atomic_cas(address, expected, value);         \
  }
#define SIMT_ATOMIC_CAS(T)                  \
  SIMT_ATOMIC_CAS_SCOPE(atomicCAS, T)       \
  SIMT_ATOMIC_CAS_SCOPE(atomicCAS_block, T) \
  SIMT_ATOMIC_CAS_SCOPE(atomicCAS_system, T)
SIMT_ATOMIC_CAS(int)
SIMT_ATOMIC_CAS(unsigned)
SIMT_ATOMIC_CAS(simt_ull)
SIMT_ATOMIC_CAS(unsigned short)
#undef SIMT_ATOMIC_CAS
#undef SIMT_ATOMIC_CAS_SCOPE

// sm_90: each element is added atomically, not the vector as a whole.
#ifdef __SIMT_XRAY__
namespace simt {
// Not watched: the vector is one access.
SIMT_UNWATCHED inline float add_unwatched(float* address, float value) {
  float old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  for (;;) {
    float next = atomic_sum(address, old, value);
    if (__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return old;
  }
}
}  // namespace simt
#define SIMT_ATOMIC_VECTOR_BEGIN \
  simt::spin_hint();             \
  simt_xray_atomic(address, sizeof *address);
#define SIMT_ATOMIC_ELEMENT simt::add_unwatched
#else
#define SIMT_ATOMIC_VECTOR_BEGIN
#define SIMT_ATOMIC_ELEMENT atomicAdd
#endif
SIMT_ATOMIC_INLINE float2 atomicAdd(float2* address, float2 value) {
  SIMT_ATOMIC_VECTOR_BEGIN
  return {SIMT_ATOMIC_ELEMENT(&address->x, value.x), SIMT_ATOMIC_ELEMENT(&address->y, value.y)};
}
SIMT_ATOMIC_INLINE float4 atomicAdd(float4* address, float4 value) {
  SIMT_ATOMIC_VECTOR_BEGIN
  return {SIMT_ATOMIC_ELEMENT(&address->x, value.x), SIMT_ATOMIC_ELEMENT(&address->y, value.y),
          SIMT_ATOMIC_ELEMENT(&address->z, value.z), SIMT_ATOMIC_ELEMENT(&address->w, value.w)};
}
#undef SIMT_ATOMIC_VECTOR_BEGIN
#undef SIMT_ATOMIC_ELEMENT
SIMT_ATOMIC_INLINE float2 atomicAdd_block(float2* address, float2 value) {
  return atomicAdd(address, value);
}
SIMT_ATOMIC_INLINE float4 atomicAdd_block(float4* address, float4 value) {
  return atomicAdd(address, value);
}
SIMT_ATOMIC_INLINE float2 atomicAdd_system(float2* address, float2 value) {
  return atomicAdd(address, value);
}
SIMT_ATOMIC_INLINE float4 atomicAdd_system(float4* address, float4 value) {
  return atomicAdd(address, value);
}

#undef SIMT_ATOMIC_FETCH
#undef SIMT_ATOMIC_RMW
#undef SIMT_ATOMIC
#undef SIMT_ATOMIC_SCOPE
