#pragma once

// What __half and __nv_bfloat16 share: templates over the two types.

#include <math_functions.h>
#include <simt/atomic.h>
#include <simt/memory.h>
#include <simt/small_float.h>
#include <simt/warp.h>
#include <vector_functions.h>

namespace simt {

// Small<T>: the format of T and ways to make one.
template <class T>
struct Small;

template <class T>
inline float widen(T value) {
  return Small<T>::widen(value);
}

template <class T>
inline T not_a_number() {
  return Small<T>::bits(Small<T>::Format::nan);
}

// 1 or 0, as comparisons of pairs give it.
template <class T>
inline T truth(bool value) {
  return Small<T>::from(value ? 1.0f : 0.0f);
}

template <class T>
inline bool is_nan(T value) {
  return (value.__x & 0x7FFFu) > Small<T>::Format::infinity;
}
template <class T>
inline bool either_nan(T a, T b) {
  return is_nan(a) || is_nan(b);
}

template <class T>
inline T negate(T value) {
  return is_nan(value) ? not_a_number<T>() : Small<T>::bits(value.__x ^ 0x8000u);
}
template <class T>
inline T absolute(T value) {
  return is_nan(value) ? not_a_number<T>() : Small<T>::bits(value.__x & 0x7FFFu);
}

// To [0, 1]; NaN becomes 0.
template <class T>
inline T saturate(T value) {
  const float x = widen(value);
  return x > 0.0f ? (x < 1.0f ? value : truth<T>(true)) : truth<T>(false);
}
template <class T>
inline T relu(T value) {
  if (is_nan(value)) return not_a_number<T>();
  return widen(value) > 0.0f ? value : truth<T>(false);
}

// A number wins over a NaN, and +0 is larger than -0.
template <class T>
inline T larger(T a, T b) {
  if (is_nan(a)) return is_nan(b) ? not_a_number<T>() : b;
  if (is_nan(b)) return a;
  if (widen(a) == widen(b)) return a.__x & 0x8000u ? b : a;
  return widen(a) > widen(b) ? a : b;
}
template <class T>
inline T smaller(T a, T b) {
  if (is_nan(a)) return is_nan(b) ? not_a_number<T>() : b;
  if (is_nan(b)) return a;
  if (widen(a) == widen(b)) return a.__x & 0x8000u ? a : b;
  return widen(a) < widen(b) ? a : b;
}

}  // namespace simt
