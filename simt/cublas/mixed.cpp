// Products of matrices whose types are chosen at run time: converted to float (integers and
// doubles: to double), multiplied, and rounded once.

#include <vector>

#include "element.h"

namespace simt::cublas {
namespace {

template <class T>
std::vector<T> converted(const void* from, cudaDataType type, int rows, int cols, int ld) {
  std::vector<T> to(std::size_t(rows) * cols);
  for (int j = 0; j < cols; ++j) {
    for (int i = 0; i < rows; ++i) {
      to[i + std::size_t(j) * rows] = static_cast<T>(load(from, type, i + std::size_t(j) * ld));
    }
  }
  return to;
}

template <class T>
void gemm(cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k, double alpha,
          const void* a, cudaDataType a_type, int lda, const void* b, cudaDataType b_type, int ldb,
          double beta, void* c, cudaDataType c_type, int ldc) {
  const int a_rows = ta == CUBLAS_OP_N ? m : k, b_rows = tb == CUBLAS_OP_N ? k : n;
  const auto x = converted<T>(a, a_type, a_rows, ta == CUBLAS_OP_N ? k : m, lda);
  const auto y = converted<T>(b, b_type, b_rows, tb == CUBLAS_OP_N ? n : k, ldb);
  std::vector<T> z(std::size_t(m) * n);
  if (beta != 0) z = converted<T>(c, c_type, m, n, ldc);
  multiply(op(ta), op(tb), m, n, k, alpha, x.data(), std::max(1, a_rows), y.data(),
           std::max(1, b_rows), beta, z.data());
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i)
      store(c, c_type, i + std::size_t(j) * ldc, z[i + std::size_t(j) * m]);
  }
}

}  // namespace
}  // namespace simt::cublas

using namespace simt::cublas;

extern "C" {
cublasStatus_t cublasGemmEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                            int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                            int lda, const void* b, cudaDataType b_type, int ldb, const void* beta,
                            void* c, cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  if (h != nullptr && is_captured(h->stream)) {
    const std::size_t size = bytes_of(scalar_type(compute));
    const Scalar<void> by(h, alpha, size), kept(h, beta, size);
    SIMT_CUBLAS_KEEP(cublasGemmEx(h, ta, tb, m, n, k, by.get(), a, a_type, lda, b, b_type, ldb,
                                  kept.get(), c, c_type, ldc, compute, algorithm));
  }
  SIMT_CUBLAS_CHECK(m >= 0 && n >= 0 && k >= 0 && leads(lda, ta, m, k) && leads(ldb, tb, k, n) &&
                    leads(ldc, m));
  if (!known(a_type) || !known(b_type) || !known(c_type)) return CUBLAS_STATUS_NOT_SUPPORTED;
  const cudaDataType scalar = scalar_type(compute);
  const double by = load(alpha, scalar, 0), keep = load(beta, scalar, 0);
  const bool wide = scalar == CUDA_R_64F || scalar == CUDA_R_32I || a_type == CUDA_R_8I;
  (wide ? gemm<double> : gemm<float>)(ta, tb, m, n, k, by, a, a_type, lda, b, b_type, ldb, keep, c,
                                      c_type, ldc);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t h, cublasOperation_t ta,
                                          cublasOperation_t tb, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long stride_a, const void* b,
                                          cudaDataType b_type, int ldb, long long stride_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long stride_c, int batch,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  if (h != nullptr && is_captured(h->stream)) {
    const std::size_t size = bytes_of(scalar_type(compute));
    const Scalar<void> by(h, alpha, size), kept(h, beta, size);
    SIMT_CUBLAS_KEEP(cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, by.get(), a, a_type, lda,
                                                stride_a, b, b_type, ldb, stride_b, kept.get(), c,
                                                c_type, ldc, stride_c, batch, compute, algorithm));
  }
  SIMT_CUBLAS_CHECK(batch >= 0);
  const auto step = [](auto* base, cudaDataType type, long long stride, int i) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(base)>>,
                                    const char, char>;
    return static_cast<Byte*>(base) + static_cast<long long>(bytes_of(type)) * stride * i;
  };
  for (int i = 0; i < batch; ++i) {
    const cublasStatus_t status =
        cublasGemmEx(h, ta, tb, m, n, k, alpha, step(a, a_type, stride_a, i), a_type, lda,
                     step(b, b_type, stride_b, i), b_type, ldb, beta, step(c, c_type, stride_c, i),
                     c_type, ldc, compute, algorithm);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasHgemm(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, int m,
                           int n, int k, const __half* alpha, const __half* a, int lda,
                           const __half* b, int ldb, const __half* beta, __half* c, int ldc) {
  return cublasGemmEx(h, ta, tb, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, beta, c,
                      CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t h, cublasOperation_t ta,
                                         cublasOperation_t tb, int m, int n, int k,
                                         const __half* alpha, const __half* a, int lda,
                                         long long stride_a, const __half* b, int ldb,
                                         long long stride_b, const __half* beta, __half* c, int ldc,
                                         long long stride_c, int batch) {
  return cublasGemmStridedBatchedEx(h, ta, tb, m, n, k, alpha, a, CUDA_R_16F, lda, stride_a, b,
                                    CUDA_R_16F, ldb, stride_b, beta, c, CUDA_R_16F, ldc, stride_c,
                                    batch, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                   int m, int n, int k, const void* alpha, const void* const a[],
                                   cudaDataType a_type, int lda, const void* const b[],
                                   cudaDataType b_type, int ldb, const void* beta, void* const c[],
                                   cudaDataType c_type, int ldc, int batch,
                                   cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  SIMT_CUBLAS_CHECK(batch >= 0);
  for (int i = 0; i < batch; ++i) {
    const cublasStatus_t status =
        cublasGemmEx(h, ta, tb, m, n, k, alpha, a[i], a_type, lda, b[i], b_type, ldb, beta, c[i],
                     c_type, ldc, compute, algorithm);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasHgemmBatched(cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb,
                                  int m, int n, int k, const __half* alpha, const __half* const a[],
                                  int lda, const __half* const b[], int ldb, const __half* beta,
                                  __half* const c[], int ldc, int batch) {
  return cublasGemmBatchedEx(h, ta, tb, m, n, k, alpha, reinterpret_cast<const void* const*>(a),
                             CUDA_R_16F, lda, reinterpret_cast<const void* const*>(b), CUDA_R_16F,
                             ldb, beta, reinterpret_cast<void* const*>(c), CUDA_R_16F, ldc, batch,
                             CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

// Groups of products of one shape each; the matrices of all groups stand in one list.
cublasStatus_t cublasGemmGroupedBatchedEx(
    cublasHandle_t h, const cublasOperation_t ta[], const cublasOperation_t tb[], const int m[],
    const int n[], const int k[], const void* alpha, const void* const a[], cudaDataType a_type,
    const int lda[], const void* const b[], cudaDataType b_type, const int ldb[], const void* beta,
    void* const c[], cudaDataType c_type, const int ldc[], int groups, const int sizes[],
    cublasComputeType_t compute) {
  SIMT_CUBLAS_CHECK(groups >= 0);
  const std::size_t scalar = bytes_of(scalar_type(compute));
  std::size_t first = 0;
  for (int g = 0; g < groups; ++g) {
    const cublasStatus_t status = cublasGemmBatchedEx(
        h, ta[g], tb[g], m[g], n[g], k[g], static_cast<const char*>(alpha) + g * scalar, a + first,
        a_type, lda[g], b + first, b_type, ldb[g], static_cast<const char*>(beta) + g * scalar,
        c + first, c_type, ldc[g], sizes[g], compute, CUBLAS_GEMM_DEFAULT);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
    first += static_cast<std::size_t>(sizes[g]);
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSgemmGroupedBatched(cublasHandle_t h, const cublasOperation_t ta[],
                                         const cublasOperation_t tb[], const int m[], const int n[],
                                         const int k[], const float alpha[], const float* const a[],
                                         const int lda[], const float* const b[], const int ldb[],
                                         const float beta[], float* const c[], const int ldc[],
                                         int groups, const int sizes[]) {
  return cublasGemmGroupedBatchedEx(
      h, ta, tb, m, n, k, alpha, reinterpret_cast<const void* const*>(a), CUDA_R_32F, lda,
      reinterpret_cast<const void* const*>(b), CUDA_R_32F, ldb, beta,
      reinterpret_cast<void* const*>(c), CUDA_R_32F, ldc, groups, sizes, CUBLAS_COMPUTE_32F);
}
cublasStatus_t cublasDgemmGroupedBatched(cublasHandle_t h, const cublasOperation_t ta[],
                                         const cublasOperation_t tb[], const int m[], const int n[],
                                         const int k[], const double alpha[],
                                         const double* const a[], const int lda[],
                                         const double* const b[], const int ldb[],
                                         const double beta[], double* const c[], const int ldc[],
                                         int groups, const int sizes[]) {
  return cublasGemmGroupedBatchedEx(
      h, ta, tb, m, n, k, alpha, reinterpret_cast<const void* const*>(a), CUDA_R_64F, lda,
      reinterpret_cast<const void* const*>(b), CUDA_R_64F, ldb, beta,
      reinterpret_cast<void* const*>(c), CUDA_R_64F, ldc, groups, sizes, CUBLAS_COMPUTE_64F);
}
}
