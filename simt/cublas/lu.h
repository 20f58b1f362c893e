#pragma once

// LU factors of small matrices, column by column, with row exchanges recorded as LAPACK does:
// pivots[i], from 1, is the row that row i was exchanged with. Null pivots mean no exchanges.

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace simt::cublas {

// The arithmetic is that of the standard types, which lie in memory in the same way.
inline float* lu(float* a) {
  return a;
}
inline double* lu(double* a) {
  return a;
}
inline std::complex<float>* lu(cuComplex* a) {
  return reinterpret_cast<std::complex<float>*>(a);
}
inline std::complex<double>* lu(cuDoubleComplex* a) {
  return reinterpret_cast<std::complex<double>*>(a);
}
template <class T>
auto lu(const T* a) {
  return lu(const_cast<T*>(a));
}

// 0, or the number of the first column whose pivot is zero.
template <class S>
int factor(long n, S* a, long lda, int* pivots) {
  int singular = 0;
  for (long k = 0; k < n; ++k) {
    long best = k;
    for (long i = k + 1; pivots != nullptr && i < n; ++i) {
      if (std::abs(a[i + k * lda]) > std::abs(a[best + k * lda])) best = i;
    }
    if (pivots != nullptr) pivots[k] = static_cast<int>(best + 1);
    if (best != k) {
      for (long j = 0; j < n; ++j) std::swap(a[k + j * lda], a[best + j * lda]);
    }
    if (a[k + k * lda] == S(0)) {
      if (singular == 0) singular = static_cast<int>(k + 1);
      continue;
    }
    for (long i = k + 1; i < n; ++i) a[i + k * lda] /= a[k + k * lda];
    for (long j = k + 1; j < n; ++j) {
      for (long i = k + 1; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
  }
  return singular;
}

// Solves op(A) x = b in b, A being in factors.
template <class S>
void solve(cublasOperation_t t, long n, const S* a, long lda, const int* pivots, S* b) {
  const auto at = [&](long i, long j) {
    const S value = t == CUBLAS_OP_N ? a[i + j * lda] : a[j + i * lda];
    if constexpr (std::is_floating_point_v<S>) {
      return value;
    } else {
      return t == CUBLAS_OP_C ? std::conj(value) : value;
    }
  };
  // Transposed, the lower factor is the one with the pivots, and the rows move last.
  const bool plain = t == CUBLAS_OP_N;
  for (long i = 0; plain && pivots != nullptr && i < n; ++i) std::swap(b[i], b[pivots[i] - 1]);
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < i; ++j) b[i] -= at(i, j) * b[j];
    if (!plain) b[i] /= at(i, i);
  }
  for (long i = n; i-- > 0;) {
    for (long j = i + 1; j < n; ++j) b[i] -= at(i, j) * b[j];
    if (plain) b[i] /= at(i, i);
  }
  for (long i = n; !plain && pivots != nullptr && i-- > 0;) std::swap(b[i], b[pivots[i] - 1]);
}

// 0, or the number of the first column whose pivot is zero: then there is no inverse.
template <class S>
int invert(long n, const S* a, long lda, const int* pivots, S* c, long ldc) {
  for (long k = 0; k < n; ++k) {
    if (a[k + k * lda] == S(0)) return static_cast<int>(k + 1);
  }
  for (long j = 0; j < n; ++j) {
    std::fill_n(c + j * ldc, n, S(0));
    c[j + j * ldc] = S(1);
    solve(CUBLAS_OP_N, n, a, lda, pivots, c + j * ldc);
  }
  return 0;
}

}  // namespace simt::cublas
