// Level 1 on vectors whose types are chosen at run time: computed in double and rounded once. Also
// the products of complex matrices with such an interface.

#include <cmath>

#include "element.h"

using namespace simt::cublas;

namespace {

// The place of element i; a negative step begins at the other end.
std::size_t at(int i, int n, int step) {
  return static_cast<std::size_t>(step >= 0 ? i : i - (n - 1)) * static_cast<std::size_t>(step);
}

}  // namespace

extern "C" {
cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void* x, cudaDataType x_type, int incx,
                           const void* y, cudaDataType y_type, int incy, void* result,
                           cudaDataType result_type, cudaDataType) {
  SIMT_CUBLAS_CHECK(result != nullptr);
  if (!known(x_type) || !known(y_type) || !known(result_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += load(x, x_type, at(i, n, incx)) * load(y, y_type, at(i, n, incy));
  store(result, result_type, 0, sum);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDotcEx(cublasHandle_t h, int n, const void* x, cudaDataType x_type, int incx,
                            const void* y, cudaDataType y_type, int incy, void* result,
                            cudaDataType result_type, cudaDataType execution_type) {
  return cublasDotEx(h, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type);
}
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void* alpha, cudaDataType alpha_type,
                            const void* x, cudaDataType x_type, int incx, void* y,
                            cudaDataType y_type, int incy, cudaDataType) {
  SIMT_CUBLAS_CHECK(true);
  if (!known(alpha_type) || !known(x_type) || !known(y_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const double by = load(alpha, alpha_type, 0);
  for (int i = 0; i < n; ++i) {
    const std::size_t to = at(i, n, incy);
    store(y, y_type, to, std::fma(by, load(x, x_type, at(i, n, incx)), load(y, y_type, to)));
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void* alpha, cudaDataType alpha_type,
                            void* x, cudaDataType x_type, int incx, cudaDataType) {
  SIMT_CUBLAS_CHECK(true);
  if (!known(alpha_type) || !known(x_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const double by = load(alpha, alpha_type, 0);
  for (int i = 0; i < n && incx > 0; ++i) {
    store(x, x_type, at(i, n, incx), by * load(x, x_type, at(i, n, incx)));
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasNrm2Ex(cublasHandle_t h, int n, const void* x, cudaDataType x_type, int incx,
                            void* result, cudaDataType result_type, cudaDataType) {
  SIMT_CUBLAS_CHECK(result != nullptr);
  if (!known(x_type) || !known(result_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  double norm = 0;
  for (int i = 0; i < n && incx > 0; ++i) norm = std::hypot(norm, load(x, x_type, at(i, n, incx)));
  store(result, result_type, 0, norm);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void* x, cudaDataType x_type, int incx, void* y,
                           cudaDataType y_type, int incy, const void* c, const void* s,
                           cudaDataType turn_type, cudaDataType) {
  SIMT_CUBLAS_CHECK(true);
  if (!known(x_type) || !known(y_type) || !known(turn_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const double cosine = load(c, turn_type, 0), sine = load(s, turn_type, 0);
  for (int i = 0; i < n; ++i) {
    const std::size_t p = at(i, n, incx), q = at(i, n, incy);
    const double was = load(x, x_type, p), other = load(y, y_type, q);
    store(x, x_type, p, cosine * was + sine * other);
    store(y, y_type, q, cosine * other - sine * was);
  }
  return CUBLAS_STATUS_SUCCESS;
}

#define SIMT_COMPLEX_EX(NAME, FUNCTION, SCALAR)                                                   \
  cublasStatus_t NAME(cublasHandle_t h, cublasFillMode_t fill, cublasOperation_t t, int n, int k, \
                      const SCALAR* alpha, const void* a, cudaDataType a_type, int lda,           \
                      const SCALAR* beta, void* c, cudaDataType c_type, int ldc) {                \
    if (a_type != CUDA_C_32F || c_type != CUDA_C_32F) return CUBLAS_STATUS_NOT_SUPPORTED;         \
    return FUNCTION(h, fill, t, n, k, alpha, static_cast<const cuComplex*>(a), lda, beta,         \
                    static_cast<cuComplex*>(c), ldc);                                             \
  }
SIMT_COMPLEX_EX(cublasCsyrkEx, cublasCsyrk, cuComplex)
SIMT_COMPLEX_EX(cublasCsyrk3mEx, cublasCsyrk, cuComplex)
SIMT_COMPLEX_EX(cublasCherkEx, cublasCherk, float)
SIMT_COMPLEX_EX(cublasCherk3mEx, cublasCherk, float)
}
