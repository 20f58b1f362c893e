#pragma once

// Loads and stores with cache hints. A CPU has no such hints: each is a plain access to any scalar
// or vector type. The volatile ones (__ldcv, __stwt) may not be merged or kept in a register, since
// programs spin on them.

#include <simt/aligned.h>
#include <simt/self.h>

#include <type_traits>

namespace simt {

template <class T>
inline T load_volatile(const T* address) {
  spin_hint();
  if constexpr (std::is_scalar_v<T>) {
    return *static_cast<const volatile T*>(address);
  } else {
    asm volatile("" ::: "memory");
    T value = *simt::aligned(address);
    asm volatile("" ::: "memory");
    return value;
  }
}

template <class T>
inline void store_volatile(T* address, T value) {
  asm volatile("" ::: "memory");
  *simt::aligned(address) = value;
  asm volatile("" ::: "memory");
}

// Keeps the value's type out of deduction, so that __stcg(float_pointer, 1) converts as in CUDA.
template <class T>
struct Identity {
  using type = T;
};

}  // namespace simt

template <class T>
inline T __ldg(const T* address) {
  return *simt::aligned(address);
}
template <class T>
inline T __ldca(const T* address) {
  return *simt::aligned(address);
}
template <class T>
inline T __ldcg(const T* address) {
  return simt::load_volatile(address);  // reads past L1: other blocks' writes are seen
}
template <class T>
inline T __ldcs(const T* address) {
  return *simt::aligned(address);
}
template <class T>
inline T __ldlu(const T* address) {
  return *simt::aligned(address);
}
template <class T>
inline T __ldcv(const T* address) {
  return simt::load_volatile(address);
}

template <class T>
inline void __stwb(T* address, typename simt::Identity<T>::type value) {
  *simt::aligned(address) = value;
}
template <class T>
inline void __stcg(T* address, typename simt::Identity<T>::type value) {
  simt::store_volatile(address, value);
}
template <class T>
inline void __stcs(T* address, typename simt::Identity<T>::type value) {
  *simt::aligned(address) = value;
}
template <class T>
inline void __stwt(T* address, typename simt::Identity<T>::type value) {
  simt::store_volatile(address, value);
}

// Marks for a profiler and a debugger; neither is attached.
inline void __prof_trigger(int) {}
inline void __brkpt() {}
