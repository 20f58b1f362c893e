#pragma once
#define CUBLAS_XT_H_  // CUDA's guard: programs ask by it whether this header is in

// cuBLASXt: products of matrices that lie anywhere, in host memory too. A GPU's library cuts them
// into blocks for several devices; here they are computed whole, and the block's size is only
// remembered.

#include <cublas_v2.h>

#include <climits>

struct cublasXtContext {
  cublasHandle_t blas;
  int block_dim;
};
typedef struct cublasXtContext* cublasXtHandle_t;

typedef enum {
  CUBLASXT_PINNING_DISABLED = 0,
  CUBLASXT_PINNING_ENABLED = 1
} cublasXtPinnedMemMode_t;
typedef enum {
  CUBLASXT_FLOAT = 0,
  CUBLASXT_DOUBLE = 1,
  CUBLASXT_COMPLEX = 2,
  CUBLASXT_DOUBLECOMPLEX = 3
} cublasXtOpType_t;

inline cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  cublasHandle_t blas = nullptr;
  const cublasStatus_t status = cublasCreate(&blas);
  if (status == CUBLAS_STATUS_SUCCESS) *handle = new cublasXtContext{blas, 2048};
  return status;
}
inline cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const cublasStatus_t status = cublasDestroy(handle->blas);
  delete handle;
  return status;
}
inline cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int devices[]) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  for (int i = 0; i < count; ++i) {
    if (devices[i] != 0) return CUBLAS_STATUS_INVALID_VALUE;  // there is one
  }
  return count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
inline cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int size) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (size <= 0) return CUBLAS_STATUS_INVALID_VALUE;
  handle->block_dim = size;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtGetBlockDim(cublasXtHandle_t handle, int* size) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (size == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *size = handle->block_dim;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtSetPinningMemMode(cublasXtHandle_t handle, cublasXtPinnedMemMode_t) {
  return handle != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
inline cublasStatus_t cublasXtGetNumBoards(int count, int[], int* boards) {
  if (boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *boards = count;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasXtMaxBoards(int* boards) {
  if (boards == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *boards = 1;
  return CUBLAS_STATUS_SUCCESS;
}

#define SIMT_XT_GEMM(LETTER, T)                                                                    \
  inline cublasStatus_t cublasXt##LETTER##gemm(cublasXtHandle_t handle, cublasOperation_t ta,      \
                                               cublasOperation_t tb, size_t m, size_t n, size_t k, \
                                               const T* alpha, const T* a, size_t lda, const T* b, \
                                               size_t ldb, const T* beta, T* c, size_t ldc) {      \
    if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;                                   \
    for (const size_t size : {m, n, k, lda, ldb, ldc}) {                                           \
      if (size > INT_MAX) return CUBLAS_STATUS_NOT_SUPPORTED;                                      \
    }                                                                                              \
    return cublas##LETTER##gemm(handle->blas, ta, tb, static_cast<int>(m), static_cast<int>(n),    \
                                static_cast<int>(k), alpha, a, static_cast<int>(lda), b,           \
                                static_cast<int>(ldb), beta, c, static_cast<int>(ldc));            \
  }
SIMT_XT_GEMM(S, float)
SIMT_XT_GEMM(D, double)
SIMT_XT_GEMM(C, cuComplex)
SIMT_XT_GEMM(Z, cuDoubleComplex)
#undef SIMT_XT_GEMM
