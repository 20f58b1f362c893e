#pragma once

// The API that cuBLAS had before handles: one hidden handle, scalars by value, letters for what is
// now an enumeration, and a status that is asked for. Real and complex level 1, and the common
// functions of levels 2 and 3. Errors are those of cublas_v2.h.

#include <cublas_v2.h>

typedef cublasStatus_t cublasStatus;

namespace simt {

struct OldCublas {
  cublasHandle_t handle = nullptr;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

  cublasHandle_t ready() {
    if (handle == nullptr) note(cublasCreate(&handle));
    return handle;
  }
  void note(cublasStatus_t result) {
    if (result != CUBLAS_STATUS_SUCCESS) status = result;
  }
};
inline OldCublas& old_cublas() {
  static OldCublas one;
  return one;
}

inline cublasOperation_t old_operation(char c) {
  return c == 'n' || c == 'N' ? CUBLAS_OP_N : c == 't' || c == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C;
}
inline cublasFillMode_t old_fill(char c) {
  return c == 'u' || c == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
inline cublasDiagType_t old_diagonal(char c) {
  return c == 'u' || c == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}
inline cublasSideMode_t old_side(char c) {
  return c == 'r' || c == 'R' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
}

}  // namespace simt

inline cublasStatus cublasInit() {
  return simt::old_cublas().ready() != nullptr ? CUBLAS_STATUS_SUCCESS
                                               : CUBLAS_STATUS_NOT_INITIALIZED;
}
inline cublasStatus cublasShutdown() {
  auto& old = simt::old_cublas();
  const cublasHandle_t handle = old.handle;
  old.handle = nullptr;
  return handle != nullptr ? cublasDestroy(handle) : CUBLAS_STATUS_NOT_INITIALIZED;
}
// The last error, which is then forgotten.
inline cublasStatus cublasGetError() {
  const cublasStatus_t last = simt::old_cublas().status;
  simt::old_cublas().status = CUBLAS_STATUS_SUCCESS;
  return last;
}
inline cublasStatus cublasAlloc(int n, int size, void** pointer) {
  if (n <= 0 || size <= 0 || pointer == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  const size_t bytes = static_cast<size_t>(n) * static_cast<size_t>(size);
  return cudaMalloc(pointer, bytes) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                   : CUBLAS_STATUS_ALLOC_FAILED;
}
inline cublasStatus cublasFree(const void* pointer) {
  return cudaFree(const_cast<void*>(pointer)) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                             : CUBLAS_STATUS_INTERNAL_ERROR;
}
inline cublasStatus cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream(simt::old_cublas().ready(), stream);
}

#define SIMT_OLD(CALL) simt::old_cublas().note(CALL)
#define SIMT_HANDLE simt::old_cublas().ready()

#define SIMT_OLD_COMMON(L, l, N, T, R)                                                             \
  inline void cublas##L##axpy(int n, T alpha, const T* x, int incx, T* y, int incy) {              \
    SIMT_OLD(cublas##L##axpy(SIMT_HANDLE, n, &alpha, x, incx, y, incy));                           \
  }                                                                                                \
  inline void cublas##L##scal(int n, T alpha, T* x, int incx) {                                    \
    SIMT_OLD(cublas##L##scal(SIMT_HANDLE, n, &alpha, x, incx));                                    \
  }                                                                                                \
  inline void cublas##L##copy(int n, const T* x, int incx, T* y, int incy) {                       \
    SIMT_OLD(cublas##L##copy(SIMT_HANDLE, n, x, incx, y, incy));                                   \
  }                                                                                                \
  inline void cublas##L##swap(int n, T* x, int incx, T* y, int incy) {                             \
    SIMT_OLD(cublas##L##swap(SIMT_HANDLE, n, x, incx, y, incy));                                   \
  }                                                                                                \
  inline int cublasI##l##amax(int n, const T* x, int incx) {                                       \
    int result = 0;                                                                                \
    SIMT_OLD(cublasI##l##amax(SIMT_HANDLE, n, x, incx, &result));                                  \
    return result;                                                                                 \
  }                                                                                                \
  inline int cublasI##l##amin(int n, const T* x, int incx) {                                       \
    int result = 0;                                                                                \
    SIMT_OLD(cublasI##l##amin(SIMT_HANDLE, n, x, incx, &result));                                  \
    return result;                                                                                 \
  }                                                                                                \
  inline R cublas##N##nrm2(int n, const T* x, int incx) {                                          \
    R result = 0;                                                                                  \
    SIMT_OLD(cublas##N##nrm2(SIMT_HANDLE, n, x, incx, &result));                                   \
    return result;                                                                                 \
  }                                                                                                \
  inline R cublas##N##asum(int n, const T* x, int incx) {                                          \
    R result = 0;                                                                                  \
    SIMT_OLD(cublas##N##asum(SIMT_HANDLE, n, x, incx, &result));                                   \
    return result;                                                                                 \
  }                                                                                                \
  inline void cublas##L##gemv(char t, int m, int n, T alpha, const T* a, int lda, const T* x,      \
                              int incx, T beta, T* y, int incy) {                                  \
    SIMT_OLD(cublas##L##gemv(SIMT_HANDLE, simt::old_operation(t), m, n, &alpha, a, lda, x, incx,   \
                             &beta, y, incy));                                                     \
  }                                                                                                \
  inline void cublas##L##trsv(char fill, char t, char diag, int n, const T* a, int lda, T* x,      \
                              int incx) {                                                          \
    SIMT_OLD(cublas##L##trsv(SIMT_HANDLE, simt::old_fill(fill), simt::old_operation(t),            \
                             simt::old_diagonal(diag), n, a, lda, x, incx));                       \
  }                                                                                                \
  inline void cublas##L##gemm(char ta, char tb, int m, int n, int k, T alpha, const T* a, int lda, \
                              const T* b, int ldb, T beta, T* c, int ldc) {                        \
    SIMT_OLD(cublas##L##gemm(SIMT_HANDLE, simt::old_operation(ta), simt::old_operation(tb), m, n,  \
                             k, &alpha, a, lda, b, ldb, &beta, c, ldc));                           \
  }                                                                                                \
  inline void cublas##L##syrk(char fill, char t, int n, int k, T alpha, const T* a, int lda,       \
                              T beta, T* c, int ldc) {                                             \
    SIMT_OLD(cublas##L##syrk(SIMT_HANDLE, simt::old_fill(fill), simt::old_operation(t), n, k,      \
                             &alpha, a, lda, &beta, c, ldc));                                      \
  }                                                                                                \
  inline void cublas##L##symm(char side, char fill, int m, int n, T alpha, const T* a, int lda,    \
                              const T* b, int ldb, T beta, T* c, int ldc) {                        \
    SIMT_OLD(cublas##L##symm(SIMT_HANDLE, simt::old_side(side), simt::old_fill(fill), m, n,        \
                             &alpha, a, lda, b, ldb, &beta, c, ldc));                              \
  }                                                                                                \
  inline void cublas##L##trsm(char side, char fill, char t, char diag, int m, int n, T alpha,      \
                              const T* a, int lda, T* b, int ldb) {                                \
    SIMT_OLD(cublas##L##trsm(SIMT_HANDLE, simt::old_side(side), simt::old_fill(fill),              \
                             simt::old_operation(t), simt::old_diagonal(diag), m, n, &alpha, a,    \
                             lda, b, ldb));                                                        \
  }

#define SIMT_OLD_REAL(L, T)                                                                        \
  inline T cublas##L##dot(int n, const T* x, int incx, const T* y, int incy) {                     \
    T result = 0;                                                                                  \
    SIMT_OLD(cublas##L##dot(SIMT_HANDLE, n, x, incx, y, incy, &result));                           \
    return result;                                                                                 \
  }                                                                                                \
  inline void cublas##L##rot(int n, T* x, int incx, T* y, int incy, T c, T s) {                    \
    SIMT_OLD(cublas##L##rot(SIMT_HANDLE, n, x, incx, y, incy, &c, &s));                            \
  }                                                                                                \
  inline void cublas##L##ger(int m, int n, T alpha, const T* x, int incx, const T* y, int incy,    \
                             T* a, int lda) {                                                      \
    SIMT_OLD(cublas##L##ger(SIMT_HANDLE, m, n, &alpha, x, incx, y, incy, a, lda));                 \
  }                                                                                                \
  inline void cublas##L##symv(char fill, int n, T alpha, const T* a, int lda, const T* x,          \
                              int incx, T beta, T* y, int incy) {                                  \
    SIMT_OLD(cublas##L##symv(SIMT_HANDLE, simt::old_fill(fill), n, &alpha, a, lda, x, incx, &beta, \
                             y, incy));                                                            \
  }

#define SIMT_OLD_COMPLEX(L, T)                                                  \
  inline T cublas##L##dotu(int n, const T* x, int incx, const T* y, int incy) { \
    T result{};                                                                 \
    SIMT_OLD(cublas##L##dotu(SIMT_HANDLE, n, x, incx, y, incy, &result));       \
    return result;                                                              \
  }                                                                             \
  inline T cublas##L##dotc(int n, const T* x, int incx, const T* y, int incy) { \
    T result{};                                                                 \
    SIMT_OLD(cublas##L##dotc(SIMT_HANDLE, n, x, incx, y, incy, &result));       \
    return result;                                                              \
  }

SIMT_OLD_COMMON(S, s, S, float, float)
SIMT_OLD_COMMON(D, d, D, double, double)
SIMT_OLD_COMMON(C, c, Sc, cuComplex, float)
SIMT_OLD_COMMON(Z, z, Dz, cuDoubleComplex, double)
SIMT_OLD_REAL(S, float)
SIMT_OLD_REAL(D, double)
SIMT_OLD_COMPLEX(C, cuComplex)
SIMT_OLD_COMPLEX(Z, cuDoubleComplex)

#undef SIMT_OLD_COMMON
#undef SIMT_OLD_REAL
#undef SIMT_OLD_COMPLEX
#undef SIMT_OLD
#undef SIMT_HANDLE
