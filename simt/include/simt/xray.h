#pragma once

// What counted device code calls (`warpath-cc --xray`); libsimt_xray.so has it. The translator puts the calls in.

#include <cstddef>
#include <type_traits>

extern "C" {
// A __constant__ variable.
void simt_xray_constant(const char* name, const volatile void* base, std::size_t size);
// An array of the running thread that is indexed by what only a run knows: a local one, or a parameter; `constant` where it
// has __grid_constant__.
void simt_xray_array(const char* name, const volatile void* base, std::size_t size, bool constant);
// An atomic operation on a vector (simt/atomic.h).
void simt_xray_atomic(const volatile void* address, std::size_t size);
}

template <class T>
inline constexpr bool simt_is_array = std::is_array_v<std::remove_reference_t<T>>;

// A struct's value, such as float4{a, b, c, d}, that is about to be assigned: it is stored as a whole, where compilers would
// store the members of a list one by one.
template <class T>
inline T simt_whole(T value) {
  return value;
}
