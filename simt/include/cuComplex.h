#pragma once

// Complex numbers of the CUDA libraries.

#include <vector_functions.h>

#include <cmath>

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

namespace simt {

// Division and size scale by the larger part first, so that squares do not overflow on the way.
template <class C, class R>
inline C complex_quotient(C a, C b) {
  const R scale = R(1) / (std::fabs(b.x) + std::fabs(b.y));
  const R ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;
  const R over = R(1) / (bx * bx + by * by);
  return C{(ax * bx + ay * by) * over, (ay * bx - ax * by) * over};
}

}  // namespace simt

#define SIMT_COMPLEX(C, R, MAKE, REAL, IMAG, CONJ, ADD, SUB, MUL, DIV, ABS, FMA) \
  inline C MAKE(R real, R imaginary) {                                           \
    return C{real, imaginary};                                                   \
  }                                                                              \
  inline R REAL(C a) {                                                           \
    return a.x;                                                                  \
  }                                                                              \
  inline R IMAG(C a) {                                                           \
    return a.y;                                                                  \
  }                                                                              \
  inline C CONJ(C a) {                                                           \
    return C{a.x, -a.y};                                                         \
  }                                                                              \
  inline C ADD(C a, C b) {                                                       \
    return C{a.x + b.x, a.y + b.y};                                              \
  }                                                                              \
  inline C SUB(C a, C b) {                                                       \
    return C{a.x - b.x, a.y - b.y};                                              \
  }                                                                              \
  inline C MUL(C a, C b) {                                                       \
    return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                      \
  }                                                                              \
  inline C DIV(C a, C b) {                                                       \
    return simt::complex_quotient<C, R>(a, b);                                   \
  }                                                                              \
  inline R ABS(C a) {                                                            \
    return std::hypot(a.x, a.y);                                                 \
  }                                                                              \
  inline C FMA(C a, C b, C c) {                                                  \
    return C{a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};          \
  }

SIMT_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf,
             cuCsubf, cuCmulf, cuCdivf, cuCabsf, cuCfmaf)
SIMT_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd,
             cuCsub, cuCmul, cuCdiv, cuCabs, cuCfma)

#undef SIMT_COMPLEX

inline cuComplex make_cuComplex(float real, float imaginary) {
  return cuComplex{real, imaginary};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return {a.x, a.y};
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
