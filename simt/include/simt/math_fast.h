#pragma once

// The fast intrinsics. A GPU computes them with a few wrong bits; here they are the accurate
// functions, so a program that depends on the error is the program's mistake.

#include <simt/math_standard.h>

inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline float __tanhf(float x) {
  return tanhf(x);
}
inline void __sincosf(float x, float* s, float* c) {
  sincosf(x, s, c);
}
// glibc declares __expf and its relatives as its own internal names in no public header, so the
// names are free.
inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return exp10f(x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
// NaN becomes 0, as on a GPU.
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}
